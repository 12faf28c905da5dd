/**
 * Results of benchmarks as data: one JSON object a line, one file a machine, in `bench/results/`.
 *
 * @module
 */
import { join } from "node:path";
import { z } from "zod";

/** Folder of the files. */
export const RESULTS = join(import.meta.dirname!, "../results");

/** Suffixes of the names of figures, with the unit of each. */
export const UNITS = {
  _gflop_per_s: "GFLOP/s",
  _gb_per_s: "GB/s",
  _count: "",
  _bytes: "bytes",
  _mib: "MiB",
  _mb: "MB",
  _kb: "KB",
  _ns: "ns",
  _us: "us",
  _ms: "ms",
  _percent: "%",
  _ratio: "ratio",
} as const;

/** A name in lower case that ends with a unit, such as `tacho_cpu_ms`. */
const FIGURE = new RegExp(`^[a-z0-9]+(?:_[a-z0-9]+)*(?:${Object.keys(UNITS).join("|")})$`);

const figuresSchema = z.record(z.string().regex(FIGURE), z.number().nullable());

export const lineSchema = z.strictObject({
  date: z.iso.date(),
  /** Commit of the working tree, with `-dirty` if files other than results differ from it; null if unknown. */
  commit: z.string().regex(/^[0-9a-f]{7,40}(?:-dirty)?$/).nullable(),
  /** Name of the adapter; null if there is none. */
  adapter: z.string().nullable(),
  driver: z.string().nullable(),
  /** True for a software adapter, which runs kernels on the CPU; null without an adapter. */
  software: z.boolean().nullable(),
  cpu: z.string(),
  cores: z.int().positive().nullable(),
  os: z.string().nullable(),
  deno: z.string().nullable(),
  /** Load average of one minute when the benchmark began. */
  load: z.number().nonnegative().nullable(),
  command: z.string().startsWith("deno task bench:"),
  benchmark: z.string().regex(/^[a-z]+$/),
  /** Name of the measured case, unique within its benchmark and file. */
  case: z.string().min(1),
  figures: figuresSchema,
});

export type Line = z.infer<typeof lineSchema>;
export type Figures = z.infer<typeof figuresSchema>;

/** Lines of a machine. */
export interface MachineFile {
  /** File name without its extension. */
  readonly machine: string;
  readonly lines: readonly Line[];
}

/**
 * Reads the lines of a file; none if it does not exist.
 *
 * @throws {Error} naming the line that is no result
 */
export function readLines(path: string): Line[] {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  return text.split("\n").filter((line) => line !== "").map((line, i) => {
    try {
      return lineSchema.parse(JSON.parse(line));
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
      throw new Error(`${path}:${i + 1}: expected a result: ${reason}`);
    }
  });
}

/** Reads all files, in order of their names. */
export function readMachines(folder = RESULTS): MachineFile[] {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".jsonl"));
  return names.sort().map((name) => ({
    machine: name.replace(/\.jsonl$/, ""),
    lines: readLines(join(folder, name)),
  }));
}
