import { InputError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";

/** Answer of sbatch: the job, or the reason why it has submitted none. */
export interface Submission {
  readonly job: string | null;
  readonly refusal: string;
}

/**
 * Submits a job script.
 *
 * @throws {InputError} if sbatch cannot be run
 */
export async function sbatch(args: readonly string[]): Promise<Submission> {
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command("sbatch", { args: ["--parsable", ...args], stdin: "null" }).output();
  } catch (error) {
    throw new InputError(`tacho submit: sbatch cannot be run (${reasonOf(error)})`, { cause: error });
  }
  const decoder = new TextDecoder();
  // JOB, or JOB;CLUSTER
  const job = decoder.decode(output.stdout).match(/^(\d+)(?:;.*)?$/m)?.[1] ?? null;
  const refusal = decoder.decode(output.stderr).trim() || "it named no job";
  return { job: output.success ? job : null, refusal };
}

/** Returns what to do about a refusal, as the end of a message; empty if that is unknown. */
export function adviceFor(refusal: string): string {
  const tooMany = /Max(?:Submit|Jobs)|QOSMax|AssocMax|GrpSubmit|job array specification|policy limit/i;
  return tooMany.test(refusal) ? "; put the shards into fewer tasks with --tasks" : "";
}
