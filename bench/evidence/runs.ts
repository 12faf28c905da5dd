import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";

const FILE = new URL("./runs.jsonl.gz", import.meta.url);

const count = z.int().nonnegative();

/** Schema of a run with all of its blocks. */
const runSchema = z.strictObject({
  kind: z.enum(["aa", "planted"]),
  seed: count,
  date: z.string(),
  adapter: z.string().nullable(),
  /** CPU time of other processes during the run, in cores. */
  otherLoad: z.number(),
  /** Planted delay of each arm, in ms per step. */
  delays: z.record(z.string(), z.number()),
  order: z.array(z.array(z.string())),
  setups: z.strictObject({ count, time: z.number().nullable(), share: z.number().nullable() }),
  baseline: z.string(),
  controlArm: z.string(),
  minEffect: z.number(),
  blocks: z.record(
    z.string(),
    z.array(z.strictObject({ round: count, setup: count, position: count, samples: count, wall: z.number() })),
  ),
  /** Verdicts of the run itself. */
  verdicts: z.record(z.string(), z.string().nullable()),
});

export type EvidenceRun = z.infer<typeof runSchema>;

/** Reads all runs; empty before the first. */
export function readRuns(file = FILE): EvidenceRun[] {
  let bytes;
  try {
    bytes = Deno.readFileSync(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return [];
  }
  const lines = gunzipSync(bytes).toString().split("\n").filter((line) => line !== "");
  return lines.map((line) => runSchema.parse(JSON.parse(line)));
}

/** Appends a run: a gzip file may have several members. */
export function appendRun(run: EvidenceRun, file = FILE): void {
  Deno.writeFileSync(file, gzipSync(`${JSON.stringify(runSchema.parse(run))}\n`, { level: 9 }), { append: true });
}
