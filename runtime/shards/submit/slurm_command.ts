import { InputError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import { within } from "../../core/within.ts";

/** Output of a command of Slurm. */
export interface SlurmOutput {
  readonly success: boolean;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Limits and environment of a command of Slurm. */
export interface SlurmCall {
  /** Time to wait for an answer, in seconds. */
  readonly limit: number;
  /** Advice at the end of the message about a missing answer. */
  readonly advice: string;
  /** Environment variables that the command must not see. */
  readonly without?: readonly string[];
}

/**
 * Runs a command of Slurm.
 *
 * @returns null where it is not installed
 * @throws {InputError} if it cannot be run, or does not answer in time
 */
export async function slurmCommand(
  program: string,
  args: readonly string[],
  { limit, advice, without = [] }: SlurmCall,
): Promise<SlurmOutput | null> {
  const env = Deno.env.toObject();
  for (const name of without) delete env[name];
  let child: Deno.ChildProcess;
  try {
    const pipes = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
    child = new Deno.Command(program, { args: [...args], env, clearEnv: true, ...pipes }).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw new InputError(`tacho submit: ${program} cannot be run (${reasonOf(error)})`, { cause: error });
  }
  const output = await within(child.output(), 1000 * limit, () => {
    child.kill();
    return new InputError(`tacho submit: ${program} did not answer within ${limit} s; ${advice}`);
  });
  const decoder = new TextDecoder();
  return {
    success: output.success,
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr).trim(),
  };
}
