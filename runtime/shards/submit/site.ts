import { InputError } from "../../core/errors.ts";
import { type JobPlace, type Query, readSubmitLimits, type SubmitLimits } from "./submit_limits.ts";
import { reasonOf } from "../../core/shown.ts";
import { within } from "../../core/within.ts";

/** Limits of a Slurm cluster. */
export interface Site extends SubmitLimits {
  /** Number of tasks that a job array may have. */
  readonly maxArraySize: number;
  /** Number of jobs that the cluster keeps, with each task as one. */
  readonly maxJobs: number;
}

/** Time for an answer of Slurm, whose own commands wait for up to 10 s several times, in seconds. */
const LIMIT_S = 60;

const CALL = { limit: LIMIT_S, advice: "try again, or print the script with --print and submit it with sbatch" };

/**
 * Reads the limits of the cluster, and of the user on a site with accounting.
 *
 * @returns null where Slurm's commands are not installed
 * @throws {InputError} if the cluster does not answer
 */
export async function readSite(place: JobPlace): Promise<Site | null> {
  const output = await slurmCommand("scontrol", ["show", "config"], CALL);
  if (output === null) return null;
  if (!output.success) {
    const [reason = ""] = output.stderr.split("\n");
    throw new InputError(
      `tacho submit: no cluster answers (scontrol show config ended with status ${output.code}: ${reason}); submit on a ` +
        "login node, or print a command of GNU parallel with --parallel",
    );
  }
  const user = Deno.env.get("USER") ?? Deno.env.get("LOGNAME");
  const limits = user === undefined
    ? { submitted: null, running: null }
    : await readSubmitLimits(queryIfAvailable, user, place);
  return { ...parseSite(output.stdout), ...limits };
}

const queryIfAvailable: Query = async (program, ...args) => {
  const output = await slurmCommand(program, args, CALL).catch(() => null);
  return output?.success ? output.stdout : null;
};

/** Parses the output of `scontrol show config`; a limit that it does not name is Slurm's default. */
export function parseSite(text: string): Omit<Site, keyof SubmitLimits> {
  const read = (name: string, otherwise: number) => {
    const [, digits] = text.match(new RegExp(`^${name}\\s*=\\s*(\\d+)`, "m")) ?? [];
    return digits === undefined ? otherwise : Number(digits);
  };
  return { maxArraySize: read("MaxArraySize", 1001), maxJobs: read("MaxJobCount", 10_000) };
}

/**
 * Returns the number of tasks of the job array, at most one for each shard.
 *
 * @param most largest number that the user allows; null for no limit
 * @throws {InputError} if the cluster has no job arrays
 */
export function taskCount(shards: number, site: Site | null, most: number | null): number {
  if (site?.maxArraySize === 0) {
    throw new InputError(
      "tacho submit: this cluster has no job arrays (MaxArraySize=0); run the shards in an allocation: --parallel",
    );
  }
  // The job that merges needs a place, too
  const jobs = Math.min(site?.maxJobs ?? Infinity, site?.submitted ?? Infinity) - 1;
  return Math.max(1, Math.min(shards, site?.maxArraySize ?? shards, jobs, most ?? shards));
}

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
