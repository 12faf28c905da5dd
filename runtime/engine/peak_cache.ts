import { z } from "zod";
import { reasonOf } from "../core/shown.ts";
import type { Device } from "../device/device.ts";
import { type Peak, type Peaks, peaksSchema } from "../record/peaks.ts";
import { adapterFile, softwareThreads, writeAtomically } from "./adapter_file.ts";
import { measurePeaks } from "./peaks.ts";

/** Version of the measuring kernels. */
const VERSION = 1;

/** Adapter and environment for which peaks are valid. */
const keySchema = z.strictObject({
  version: z.literal(VERSION),
  name: z.string(),
  vendor: z.string().nullable(),
  backend: z.string().nullable(),
  driver: z.string().nullable(),
  features: z.array(z.string()),
  /** Kind of adapter for which the measuring kernels are built. */
  kernels: z.enum(["cpu", "gpu"]),
  deno: z.string(),
  /** Thread count of a software adapter, if it is set. */
  threads: z.string().nullable(),
});

const fileSchema = z.strictObject({ adapter: keySchema, peaks: peaksSchema });

export interface PeakOptions {
  /** Called with the reason if the cache is not used or cannot be written. */
  readonly onWarning?: (message: string) => void;
  /** Measures again, and keeps the higher of the new and the cached value of each peak. */
  readonly remeasure?: boolean;
  /** Measuring function, for tests; defaults to {@linkcode measurePeaks}. */
  readonly measure?: (device: Device) => Promise<Peaks | null>;
}

/**
 * Returns the adapter's peaks, from the cache if it was measured before. A cache that cannot be read or belongs to
 * another adapter is replaced.
 *
 * @returns null if no run could be timed
 */
export async function adapterPeaks(device: Device, options: PeakOptions = {}): Promise<Peaks | null> {
  const warn = options.onWarning ?? (() => {});
  const key = keyOf(device);
  const file = peaksFile(device);
  const cached = await readCache(file, key, warn);
  if (cached !== null && !options.remeasure) return cached;
  const measured = await (options.measure ?? measurePeaks)(device);
  const peaks = measured === null || cached === null ? measured ?? cached : higherPeaks(cached, measured);
  if (measured !== null && peaks !== null) await writeCache(file, { adapter: key, peaks }, warn);
  return peaks;
}

/** Returns the higher value of each peak. Other load can only slow a measurement down, so the higher one is closer. */
function higherPeaks(cached: Peaks, measured: Peaks): Peaks {
  const higher = (a: Peak, b: Peak) => b.value > a.value ? b : a;
  const f16 = cached.f16 === null || measured.f16 === null
    ? measured.f16 ?? cached.f16
    : higher(cached.f16, measured.f16);
  return { ...measured, f32: higher(cached.f32, measured.f32), f16, copy: higher(cached.copy, measured.copy) };
}

/** Returns the cache file of an adapter's peaks. */
export function peaksFile(device: Measured): string {
  return adapterFile("peaks", keyOf(device));
}

type Measured = Pick<Device, "info" | "traits">;

function keyOf({ info, traits }: Measured): z.infer<typeof keySchema> {
  const { name, vendor, backend, driver, features } = info;
  return {
    version: VERSION,
    name,
    vendor,
    backend,
    driver,
    features: [...features].sort(),
    kernels: traits.class,
    deno: Deno.version.deno,
    threads: softwareThreads(info),
  };
}

async function readCache(
  file: string,
  key: z.infer<typeof keySchema>,
  warn: (message: string) => void,
): Promise<Peaks | null> {
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) warn(`${file} cannot be read (${reasonOf(error)}); measuring again`);
    return null;
  }
  try {
    const { adapter, peaks } = fileSchema.parse(JSON.parse(text));
    if (JSON.stringify(adapter) === JSON.stringify(key)) return peaks;
    warn(`${file} belongs to another adapter; measuring again`);
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error;
    warn(`${file} does not hold the peaks of an adapter; measuring again`);
  }
  return null;
}

async function writeCache(
  file: string,
  content: z.infer<typeof fileSchema>,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await writeAtomically(file, JSON.stringify(content, null, 2) + "\n");
  } catch (error) {
    warn(`Cannot write the adapter's peaks to ${file} (${reasonOf(error)}); every run measures them again`);
  }
}
