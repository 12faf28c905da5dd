import type { CommandStart } from "../../attach/programs/command/command_process.ts";
import { splitCommand } from "../../attach/programs/split_command.ts";
import { type CompleteCommand, lineOf, STDOUT_OUTPUT } from "../../scenario/command.ts";
import type { ResolvedProgram } from "../../scenario/program.ts";
import type { ProgramPlace } from "./program_arm_base.ts";

/** Returns how to start a command. The control arm shares what comes before and after all runs of the baseline. */
export function commandStart(
  { program, words, env }: ResolvedProgram<CompleteCommand>,
  { interrupted, isControl }: ProgramPlace,
): CommandStart {
  const { shell, setup, prepare, conclude, cleanup, input, output, cwd, timeout, steps } = program;
  return {
    command: typeof program.command === "string" && shell !== null ? program.command : words,
    shell: shell === null ? null : splitCommand(shell).words,
    ...isControl ? { setup: null, cleanup: null } : { setup, cleanup },
    ...{
      prepare,
      conclude,
      input,
      keepStdout: output === STDOUT_OUTPUT,
      line: lineOf(steps),
      timeout,
      env,
      cwd,
      interrupted,
    },
  };
}
