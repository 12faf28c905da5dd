import { InputError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";

/** Output of a command of Slurm. */
export interface SlurmOutput {
  readonly success: boolean;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run a command of Slurm. */
export interface SlurmCall {
  /** Time to wait for an answer, in seconds. */
  readonly limit: number;
  /** What to do where there was none, as the end of a message. */
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
  const output = await within(child.output(), limit);
  if (output === null) {
    child.kill();
    throw new InputError(`tacho submit: ${program} did not answer within ${limit} s; ${advice}`);
  }
  const decoder = new TextDecoder();
  return {
    success: output.success,
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr).trim(),
  };
}

/** Returns null where the work takes longer than a limit in seconds. */
async function within<T>(work: Promise<T>, limit: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => timer = setTimeout(() => resolve(null), limit * 1000));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
