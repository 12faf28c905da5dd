import type { RandomStream } from "../../runtime/core/random.ts";
import { checkPublic } from "../../runtime/cli/repeat/sandbox/public_address.ts";
import { pick } from "./draws.ts";
import { type Fuzzer, survives } from "./fuzzer.ts";

/** First bytes of addresses that are not public. */
const OWN: readonly (readonly number[])[] = [
  ...[[127], [10], [0], [169, 254], [192, 168], [172, 16], [172, 31], [100, 64], [100, 127], [198, 18], [224], [255]],
];

/** Addresses of this machine and of private networks, in many spellings: all are refused. */
export const addresses: Fuzzer = {
  name: "addresses",
  few: 400,
  begin: () => async (random) => {
    const address = drawAddress(random);
    const allowed = await survives(address, () => checkPublic(address, "a fuzzer").then(() => true));
    if (allowed !== null) throw new Error(`${address} is allowed`);
  },
};

function drawAddress(random: RandomStream): string {
  const first = pick(random, OWN);
  const bytes = [0, 1, 2, 3].map((i) => first[i] ?? random.below(256)) as [number, number, number, number];
  const before = pick(random, ["", "", "", "user@", "a:b@", "8.8.8.8@"]);
  const port = pick(random, ["", "", ":443", ":0443", ":80"]);
  return `${pick(random, ["https", "HTTPS", "https", "http"])}://${before}${drawHost(random, bytes)}${port}/${
    pick(random, ["", "x.js"])
  }`;
}

function drawHost(random: RandomStream, [a, b, c, d]: readonly [number, number, number, number]): string {
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => value.toString(16);
  const part = (value: number) => pick(random, [String(value), `0x${hex(value)}`, `0${value.toString(8)}`]);
  const groups = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
  return pick(random, [
    [a, b, c, d].map(part).join("."),
    `${[a, b, c, d].join(".")}.`,
    `${part(a)}.${part(b)}.${part(c * 256 + d)}`,
    `${part(a)}.${part(whole - a * 2 ** 24)}`,
    part(whole),
    [a, b, c, d].join(".").replace(/\d/, (digit) => `%3${digit}`),
    `[::ffff:${[a, b, c, d].join(".")}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:FFFF:${groups}]`,
    `[64:ff9b::${groups}]`,
    `[2002:${groups}::1]`,
    `[f${pick(random, ["c", "d"])}${hex(c).padStart(2, "0")}:${groups}::]`,
    `[fe${pick(random, ["8", "9", "a", "b"])}${hex(d % 16)}::${groups}]`,
    ...["[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "localhost", "LocalHost.", `${hex(whole)}x.localhost`, "ⓛocalhost"],
  ]);
}
