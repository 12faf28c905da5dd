import { InputError } from "../../core/errors.ts";
import { slurmCommand } from "./site.ts";

/** Answer of sbatch: the job, or the reason why it has submitted none. */
export interface Submission {
  readonly job: string | null;
  readonly refusal: string;
}

/** Time for sbatch, which tries for a while to reach a busy controller, in seconds. */
const LIMIT_S = 180;

/** Variables that sbatch reads in preference to the directives that the job scripts have. */
const OVERRIDING = [
  ..."SBATCH_ARRAY_INX SBATCH_EXPORT SBATCH_JOB_NAME SBATCH_NO_REQUEUE SBATCH_OPEN_MODE SBATCH_OUTPUT".split(" "),
  ..."SBATCH_REQUEUE SBATCH_SIGNAL SBATCH_WAIT".split(" "),
];

/**
 * Submits a job script.
 *
 * @throws {InputError} if sbatch cannot be run, or does not answer
 */
export async function sbatch(args: readonly string[]): Promise<Submission> {
  const advice = "squeue --me shows if the job was submitted";
  const call = { limit: LIMIT_S, advice, without: OVERRIDING };
  const output = await slurmCommand("sbatch", ["--parsable", ...args], call);
  if (output === null) throw new InputError("tacho submit: sbatch is not installed here; submit on a login node");
  // JOB, or JOB;CLUSTER
  const job = output.stdout.match(/^(\d+)(?:;.*)?$/m)?.[1] ?? null;
  const refusal = output.stderr || (output.success ? "it named no job" : `it ended with status ${output.code}`);
  return { job: output.success ? job : null, refusal };
}

/** Returns what to do about a refusal, as the end of a message; empty if that is unknown. */
export function adviceFor(refusal: string): string {
  const tooMany = /Max(?:Submit|Jobs)|QOSMax|AssocMax|GrpSubmit|job array specification|policy limit/i;
  return tooMany.test(refusal)
    ? "; put the shards into fewer tasks with --tasks, or wait until jobs of yours have ended"
    : "";
}
