import { InputError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";

/** Limits of a Slurm cluster. */
export interface Site {
  /** Number of tasks that a job array may have. */
  readonly maxArraySize: number;
  /** Number of jobs that the cluster keeps, with each task as one. */
  readonly maxJobs: number;
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
  if (output.success) return parseSite(decoder.decode(output.stdout));
  throw new InputError(
    `tacho submit: scontrol show config failed with status ${output.code}: ${decoder.decode(output.stderr).trim()}`,
  );
}

/** Parses the output of `scontrol show config`; a limit that it does not name is Slurm's default. */
export function parseSite(text: string): Site {
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
  return Math.min(shards, site?.maxArraySize ?? shards, site?.maxJobs ?? shards, most ?? shards);
}
