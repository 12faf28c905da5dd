import { z } from "zod";

const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

const PATTERN = /^(\d+(?:\.\d+)?)\s*([kmgt]i?b|b)$/i;

const error = 'expected a whole number of bytes of at least 1, or a string such as "4GiB" or "512MiB"';

/** A size in bytes, or a string with a unit such as `4GiB`. Parses to whole bytes. */
export const byteSize = z.union([
  z.int({ error }).min(1, { error }),
  z.string().regex(PATTERN).transform((text) => {
    const [, number, unit] = text.match(PATTERN)!;
    return Math.floor(Number(number) * UNITS[unit!.toLowerCase()]!);
  }).refine((bytes) => bytes >= 1, { error }),
], { error }).meta({ type: 'bytes, or a string such as "4GiB"', output: "number" });
