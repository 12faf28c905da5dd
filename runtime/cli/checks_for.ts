import { scriptFile } from "../library/script.ts";
import type { CheckedRun } from "./ci/write_checks.ts";
import type { Flags } from "./flags.ts";
import { stdoutIsData } from "./json_output.ts";

/** Writes the checks for CI systems. The code is loaded only if a flag asks for it. */
export async function checksFor(flags: Flags, run: Omit<CheckedRun, "file" | "toStderr">): Promise<void> {
  if (flags.annotations === undefined && flags.junit === undefined) return;
  const { writeChecks } = await import("./ci/write_checks.ts");
  await writeChecks(flags, { ...run, file: scriptFile(), toStderr: stdoutIsData(flags) });
}
