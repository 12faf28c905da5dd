import { InputError } from "../core/errors.ts";

/** Value of `--shard`. */
export interface ShardRequest {
  /** Number of the shard, from 1; null to read it from a Slurm job array. */
  readonly shard: number | null;
  /** Number of shards. */
  readonly of: number;
}

/** Parses `K/N`, or `auto/N`. */
export function shardRequest(text: string): ShardRequest {
  const [, shard, total] = text.match(/^(\d{1,9}|auto)\/(\d{1,9})$/) ?? [];
  const of = Number(total ?? 0);
  const number = shard === "auto" ? null : Number(shard ?? 0);
  if (of >= 1 && (number === null || (number >= 1 && number <= of))) return { shard: number, of };
  throw new InputError(
    `--shard: expected the number of the shard and of all shards, such as 3/8, or auto/8 in a Slurm job array, got "${text}"`,
  );
}

/**
 * Returns the number of the shard. `auto` counts the tasks of a Slurm job array from its first.
 *
 * @param variable reads an environment variable
 * @throws {InputError} if `auto` is used outside a job array, or the array has more tasks than shards
 */
export function shardNumber({ shard, of }: ShardRequest, variable: (name: string) => string | undefined): number {
  if (shard !== null) return shard;
  const [task, first] = ["SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN"].map((name) => {
    const text = variable(name) ?? "";
    return /^\d{1,9}$/.test(text) ? Number(text) : null;
  });
  if (task == null || first == null) {
    throw new InputError(
      `--shard auto/${of}: SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_MIN are not set; expected a task of a Slurm job ` +
        `array. Elsewhere, give the number: --shard 1/${of}`,
    );
  }
  const number = task - first + 1;
  if (number >= 1 && number <= of) return number;
  throw new InputError(
    `--shard auto/${of}: task ${task} of an array that starts at ${first} is shard ${number}; expected at most ${of} tasks`,
  );
}
