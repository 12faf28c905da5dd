/**
 * How a process that runs a stored script tells it what it is a copy of, and takes its result.
 *
 * @module
 */
import { z } from "zod";
import type { Result } from "../result/schema.ts";
import { moduleSourceSchema } from "../store/module_source.ts";
import { takeVariable } from "./take_variable.ts";

/** Names the file that holds a {@linkcode Handoff}. */
export const HANDOFF_VARIABLE = "TACHO_HANDOFF";

const handoffSchema = z.strictObject({
  /** What results are to call the script. */
  file: z.string(),
  /** What it consists of, as it was collected for the first run. */
  modules: z.array(moduleSourceSchema),
  /** File to write the result to. */
  result: z.string(),
});

export type Handoff = z.infer<typeof handoffSchema>;

let taken: Handoff | null | undefined;

/** What this process was handed; null where it was started by hand. What it starts itself is not handed it. */
export function handoff(): Handoff | null {
  if (taken !== undefined) return taken;
  const file = takeVariable(HANDOFF_VARIABLE);
  taken = file === undefined ? null : handoffSchema.parse(JSON.parse(Deno.readTextFileSync(file)));
  return taken;
}

/** Gives the result to the process that asked for it. */
export async function handOver(result: Result): Promise<void> {
  const target = handoff()?.result;
  if (target !== undefined) await Deno.writeTextFile(target, JSON.stringify(result));
}
