/**
 * Exchange with the process of a stored script: it receives the script's original name and modules, and returns its result.
 *
 * @module
 */
import { z } from "zod";
import { readText, writeFile } from "../core/files.ts";
import { takeVariable } from "../core/take_variable.ts";
import type { Result } from "../result/schema.ts";
import { moduleSourceSchema } from "../store/module_source.ts";

/** Environment variable with the path of a {@linkcode Handoff} file. */
export const HANDOFF_VARIABLE = "TACHO_HANDOFF";

const handoffSchema = z.strictObject({
  /** Name of the script in results. */
  file: z.string(),
  /** Modules of the script, as collected for the first run. */
  modules: z.array(moduleSourceSchema),
  /** Path of the file to write the result to; null in a sandbox, where the parent process reads the events. */
  result: z.string().nullable(),
});

export type Handoff = z.infer<typeof handoffSchema>;

let taken: Handoff | null | undefined;

/** Returns the handoff of this process, or null if a user started it. Child processes do not inherit it. */
export function handoff(): Handoff | null {
  if (taken !== undefined) return taken;
  const file = takeVariable(HANDOFF_VARIABLE);
  taken = file === undefined ? null : handoffSchema.parse(JSON.parse(readText(file)));
  return taken;
}

/** Writes the result for the parent process, if that asked for a file. */
export function handOver(result: Result): void {
  const target = handoff()?.result ?? null;
  if (target !== null) writeFile(target, JSON.stringify(result));
}
