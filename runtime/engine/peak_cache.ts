import { join } from "node:path";
import { z } from "zod";
import { cacheFolder } from "../data/standin/cache.ts";
import type { Device } from "../device/device.ts";
import { type Peaks, peaksSchema } from "../record/peaks.ts";
import { hashText } from "../core/random.ts";
import { measurePeaks } from "./peaks.ts";

/** Changes with the kernels that measure. */
const VERSION = 1;

/** What the peaks of an adapter hold for. */
const keySchema = z.strictObject({
  version: z.literal(VERSION),
  name: z.string(),
  vendor: z.string().nullable(),
  backend: z.string().nullable(),
  driver: z.string().nullable(),
  features: z.array(z.string()),
  /** The kind of adapter that the kernels that measure are made for. */
  kernels: z.enum(["cpu", "gpu"]),
  deno: z.string(),
  /** Threads of a software adapter, as far as they are set; its peaks depend on them. */
  threads: z.string().nullable(),
});

const fileSchema = z.strictObject({ adapter: keySchema, peaks: peaksSchema });

export interface PeakOptions {
  /** Is told why a cache was not used, or could not be kept. */
  readonly onWarning?: (message: string) => void;
  /** Measures again, whatever the cache says. */
  readonly remeasure?: boolean;
  /** {@linkcode measurePeaks}, unless a test has something quicker. */
  readonly measure?: (device: Device) => Promise<Peaks | null>;
}

/**
 * The adapter's peaks, from the cache folder where it was measured before; `null` where nothing could be timed. A cache
 * that cannot be read or belongs to another adapter is measured anew.
 */
export async function adapterPeaks(device: Device, options: PeakOptions = {}): Promise<Peaks | null> {
  const warn = options.onWarning ?? (() => {});
  const key = keyOf(device);
  const file = peaksFile(device);
  const cached = options.remeasure ? null : await readCache(file, key, warn);
  if (cached !== null) return cached;
  const peaks = await (options.measure ?? measurePeaks)(device);
  if (peaks !== null) await writeCache(file, { adapter: key, peaks }, warn);
  return peaks;
}

/** Where the peaks of an adapter are kept. */
export function peaksFile(device: Measured): string {
  return join(cacheFolder(), `peaks-${hashText(JSON.stringify(keyOf(device))).toString(16).padStart(8, "0")}.json`);
}

type Measured = Pick<Device, "info" | "traits">;

function keyOf({ info, traits }: Measured): z.infer<typeof keySchema> {
  const { name, vendor, backend, driver, features, fallback } = info;
  const threads = fallback ? Deno.env.get("LP_NUM_THREADS") ?? null : null;
  return {
    version: VERSION,
    name,
    vendor,
    backend,
    driver,
    features: [...features].sort(),
    kernels: traits.class,
    deno: Deno.version.deno,
    threads,
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
    if (!(error instanceof Deno.errors.NotFound)) warn(`${file} cannot be read (${messageOf(error)}); measuring again`);
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

/** Written whole or not at all: other runs may read it at the same time. */
async function writeCache(
  file: string,
  content: z.infer<typeof fileSchema>,
  warn: (message: string) => void,
): Promise<void> {
  const part = `${file}.${Deno.pid}`;
  try {
    await Deno.mkdir(join(file, ".."), { recursive: true });
    await Deno.writeTextFile(part, JSON.stringify(content, null, 2) + "\n");
    await Deno.rename(part, file);
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    warn(`The adapter's peaks cannot be kept in ${file} (${messageOf(error)}); they are measured in each run`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
