import { ProgramProcess } from "../../attach/programs/program_process.ts";
import { parseSteps, type Steps } from "../../attach/settings.ts";
import type { ProgramSpec, ResolvedProgram } from "../../scenario/program.ts";
import type { ProgramPlace } from "./program_arm_base.ts";

/**
 * Starts a program, to be held at its first step.
 *
 * @param options further variables of its environment, and where its steps end if its settings do not say
 */
export async function startProgram(
  { program: { steps, cwd, timeout }, words, env }: ResolvedProgram<ProgramSpec>,
  { interrupted }: Pick<ProgramPlace, "interrupted">,
  options: { readonly env?: Readonly<Record<string, string>>; readonly steps?: Steps } = {},
): Promise<ProgramProcess> {
  return await ProgramProcess.start({
    ...{ command: words, cwd, timeout, interrupted, profiled: false },
    steps: options.steps ?? parseSteps(steps)!,
    env: { ...env, ...options.env },
  });
}
