import { InputError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";

/** Limits of a Slurm cluster. */
export interface Site {
  /** Number of tasks that a job array may have. */
  readonly maxArraySize: number;
  /** Number of jobs that the cluster keeps, with each task as one. */
  readonly maxJobs: number;
  /** Number of jobs that the user may have submitted at any time; null without such a limit, or without accounting. */
  readonly maxSubmitted: number | null;
}

/**
 * Reads the limits of the cluster from `scontrol show config`.
 *
 * @returns null where Slurm's commands are not installed
 * @throws {InputError} if the cluster does not answer
 */
export async function readSite(): Promise<Site | null> {
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command("scontrol", { args: ["show", "config"], stdin: "null" }).output();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw new InputError(`tacho submit: scontrol cannot be run (${reasonOf(error)})`, { cause: error });
  }
  const decoder = new TextDecoder();
  if (output.success) return { ...parseSite(decoder.decode(output.stdout)), maxSubmitted: await readSubmitLimit() };
  throw new InputError(
    `tacho submit: scontrol show config failed with status ${output.code}: ${decoder.decode(output.stderr).trim()}`,
  );
}

/** Reads the smallest limit of the user's accounts from `sacctmgr`; null without one, and where nothing is accounted. */
async function readSubmitLimit(): Promise<number | null> {
  const user = Deno.env.get("USER") ?? Deno.env.get("LOGNAME");
  if (user === undefined) return null;
  const words = ["--noheader", "--parsable2", ..."show associations where".split(" "), `user=${user}`];
  try {
    const { success, stdout } = await new Deno.Command("sacctmgr", {
      args: [...words, "format=MaxSubmitJobs,GrpSubmitJobs"],
      stdin: "null",
    }).output();
    return success ? parseSubmitLimit(new TextDecoder().decode(stdout)) : null;
  } catch {
    return null; // not installed
  }
}

/** Parses lines of limits, such as `100|`, with an empty field for none. Returns the smallest; null for none. */
export function parseSubmitLimit(text: string): number | null {
  const limits = text.split(/[|\s]+/).filter((field) => /^\d+$/.test(field)).map(Number);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** Parses the output of `scontrol show config`; a limit that it does not name is Slurm's default. */
export function parseSite(text: string): Omit<Site, "maxSubmitted"> {
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
  const jobs = Math.min(site?.maxJobs ?? Infinity, site?.maxSubmitted ?? Infinity) - 1;
  return Math.max(1, Math.min(shards, site?.maxArraySize ?? shards, jobs, most ?? shards));
}
