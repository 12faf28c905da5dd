import { comparePrograms, define } from "../versus/compare_programs.ts";

export { define };

/** Compares programs. Returns the status of the first that failed, 1 if a gate fails, or 130 after an interrupt. */
export async function run(args: readonly string[]): Promise<number> {
  return (await comparePrograms(args)).status;
}
