import { comparePrograms } from "../versus/compare_programs.ts";
import { define } from "../versus/versus_flags.ts";

export { define };

/** Compares commands. Returns the status of the first that failed, 1 if a gate fails, or 130 after an interrupt. */
export async function run(args: readonly string[]): Promise<number> {
  return (await comparePrograms(args)).status;
}
