import type { RunSummary } from "../../store/records.ts";
import { commandOf } from "../script.ts";

/** Returns the command line of a kept run, for its report; null if its script is not a file. */
export function runCommand({ script, args }: Pick<RunSummary, "script" | "args">): string | null {
  return script === null ? null : commandOf(script, args);
}
