import { z } from "zod";

/** Schema of a recording: blocks of copies of one scenario that take turns in one process. */
const recordingSchema = z.strictObject({
  scenario: z.string(),
  adapter: z.string().nullable(),
  cpu: z.string().nullable(),
  cores: z.int().positive(),
  /** One-minute load before the first block and after the last. */
  load: z.tuple([z.number(), z.number()]),
  /** Steps per block. */
  steps: z.int().positive(),
  samples: z.int().positive(),
  /** Copies in the order in which they ran, by round. */
  order: z.array(z.array(z.int().nonnegative()).min(2)).min(10),
  /** Wall times of those blocks, in ms. */
  walls: z.array(z.array(z.number().positive())),
}).refine(({ order, walls }) => order.every((round, i) => round.length === walls[i]?.length), {
  error: "every block of `order` has a wall time",
});

export type Recording = z.infer<typeof recordingSchema>;

export const RECORDINGS = new URL("../noise/", import.meta.url);

/** Recordings with the settings of the README's first commands on a software adapter. */
export const FIRST_MINUTE = new URL("first_minute/", RECORDINGS);

/** Reads the recordings of a folder, by file name. */
export function readRecordings(folder = RECORDINGS): Map<string, Recording> {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".json"));
  return new Map(
    names.sort().map((name) => [
      name.replace(/\.json$/, ""),
      recordingSchema.parse(JSON.parse(Deno.readTextFileSync(new URL(name, folder)))),
    ]),
  );
}

/** Returns logs of the wall time by copy, then by round. */
export function logsByCopy({ order, walls }: Recording): number[][] {
  const copies: number[][] = order[0]!.map(() => []);
  for (const [round, ran] of order.entries()) {
    for (const [position, copy] of ran.entries()) copies[copy]![round] = Math.log(walls[round]![position]!);
  }
  return copies;
}
