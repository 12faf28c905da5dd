import { z } from "zod";
import { readText, readTextIfAny } from "../core/files.ts";
import { reasonOf } from "../core/shown.ts";
import type { Device } from "../device/device.ts";
import { otherLoad } from "../record/other_load.ts";
import { betterPeaks, isQuiet, peaksByName, QUIET } from "../record/peak_choice.ts";
import { type Peaks, peaksSchema } from "../record/peaks.ts";
import { adapterFile, adapterFiles, softwareThreads, writeAtomically } from "./adapter_file.ts";
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

/** Peaks of an adapter in the cache. */
const keptSchema = z.strictObject({
  adapter: keySchema,
  peaks: z.preprocess(withConditions, peaksSchema),
  /** Share of its roof that an op reached right after the last measurement, by use of caches; 1 without such an op. */
  reached: z.number().default(1),
  /** Lowest load by other processes under which all peaks were measured, 0 if unknown; null in files of earlier versions. */
  quietest: z.number().nullable().default(null),
});

/** Peaks of an adapter in the cache. */
export type KeptPeaks = z.infer<typeof keptSchema>;

/** An op above this share of its roof shows that a peak was measured too low. */
export const ABOVE_ROOF = 1.05;
/** Peaks that were measured under load are measured again under less than this fraction of it. */
const LESS_LOAD = 0.5;

/** Peaks that this process has measured without writing them, by the name of their file. */
const unwritten = new Map<string, KeptPeaks>();

export interface PeakOptions {
  /** Called with the reason if the cache is not used or cannot be written. */
  readonly onWarning?: (message: string) => void;
  /** Writes new peaks to the cache folder; false remembers them in this process only. Default true. */
  readonly keep?: boolean;
  /** Measures in any case. */
  readonly remeasure?: boolean;
  /** Returns the highest share of its roof that a measured op reaches under given peaks. */
  readonly reached?: (peaks: Peaks) => number;
  /** Called while peaks are measured, with the number of kernels done and of all. */
  readonly onProgress?: (done: number, all: number) => void;
  /** Measuring function, for tests; defaults to {@linkcode measurePeaks}. */
  readonly measure?: typeof measurePeaks;
  /** Returns the current load by other processes, for tests; defaults to {@linkcode otherLoad}. */
  readonly load?: () => Promise<number | null>;
}

/**
 * Returns the adapter's peaks. They are kept in the cache folder and measured again if
 *
 * - an op is above its roof, further than ops were right after the last measurement, since caches can lift ops above it
 * - they were measured under load, and the load is now less than half of that in any measurement
 * - the file cannot be read or belongs to another adapter
 *
 * {@linkcode betterPeaks} chooses between two measurements of a peak.
 *
 * @returns null if no run could be timed
 */
export async function adapterPeaks(device: Device, options: PeakOptions = {}): Promise<Peaks | null> {
  const { onWarning: warn = () => {}, reached = () => 1, measure = measurePeaks, load = otherLoad } = options;
  const key = keyOf(device);
  const file = peaksFile(device);
  const kept = readCache(file, key, warn) ?? (options.keep === false ? unwritten.get(file) ?? null : null);
  if (kept !== null && !options.remeasure) {
    const exceeded = reached(kept.peaks) > ABOVE_ROOF * kept.reached;
    if (!exceeded && !await isQuieter(kept, load)) return kept.peaks;
  }
  const measured = await measure(device, options.onProgress);
  if (measured === null) return kept?.peaks ?? null;
  const peaks = kept === null ? measured : betterPeaks(kept.peaks, measured);
  const loads = peaksByName(measured).map(([, peak]) => peak.load ?? 0);
  const quietest = Math.min(kept?.quietest ?? Infinity, Math.max(...loads));
  const content = { adapter: key, peaks, reached: Math.max(1, reached(peaks)), quietest };
  if (options.keep === false) unwritten.set(file, content);
  else await writeCache(file, content, warn);
  return peaks;
}

/** Returns the adapter's peaks if they were measured before; else null. */
export function knownPeaks(device: Device): Peaks | null {
  const file = peaksFile(device);
  const kept = readCache(file, keyOf(device), () => {}) ?? unwritten.get(file);
  return kept?.peaks ?? null;
}

/** Returns true if peaks were measured under load, and there is less now than in any measurement. */
async function isQuieter({ peaks, quietest }: KeptPeaks, load: () => Promise<number | null>): Promise<boolean> {
  if (peaksByName(peaks).every(([, peak]) => isQuiet(peak))) return false;
  if (quietest === null) return true; // a file of an earlier version, which does not tell the conditions
  if (quietest <= QUIET.load) return false; // the spread is the adapter's own
  const now = await load();
  return now !== null && now < LESS_LOAD * quietest;
}

/** Adds dates and unknown conditions to the peaks of earlier versions, which had one date for all. */
function withConditions(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("date" in value)) return value;
  const { date, ...peaks } = value;
  return Object.fromEntries(
    Object.entries(peaks).map(([name, peak]) => [
      name,
      typeof peak === "object" && peak !== null ? { date, load: null, spread: null, ...peak } : peak,
    ]),
  );
}

/** Peaks in the cache folder, with their files, the latest adapter first. Unreadable files are left out. */
export async function keptPeaks(): Promise<(KeptPeaks & { readonly file: string })[]> {
  const kept = (await adapterFiles("peaks")).map((file) => {
    try {
      return { file, ...keptSchema.parse(JSON.parse(readText(file))) };
    } catch {
      return null;
    }
  });
  const latest = ({ peaks }: KeptPeaks) => peaksByName(peaks).map(([, { date }]) => date).sort().at(-1)!;
  return kept.filter((one) => one !== null).sort((a, b) => latest(b).localeCompare(latest(a)));
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

function readCache(
  file: string,
  key: z.infer<typeof keySchema>,
  warn: (message: string) => void,
): KeptPeaks | null {
  let text: string | null;
  try {
    text = readTextIfAny(file);
  } catch (error) {
    warn(`${reasonOf(error)}; measuring again`);
    return null;
  }
  if (text === null) return null;
  try {
    const kept = keptSchema.parse(JSON.parse(text));
    if (JSON.stringify(kept.adapter) === JSON.stringify(key)) return kept;
    warn(`${file} belongs to another adapter; measuring again`);
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error;
    warn(`${file} does not hold the peaks of an adapter; measuring again`);
  }
  return null;
}

async function writeCache(
  file: string,
  content: KeptPeaks,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await writeAtomically(file, JSON.stringify(content, null, 2) + "\n");
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return; // as in a sandbox
    warn(`Cannot write the adapter's peaks to ${file} (${reasonOf(error)}); every run measures them again`);
  }
}
