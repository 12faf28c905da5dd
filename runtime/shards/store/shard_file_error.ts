import { StoreError } from "../../store/problems.ts";

/** Reason why a shard file cannot be used. */
export type ShardProblem = "unreadable" | "unfinished" | "foreign" | "damaged" | "other version";

/** A shard file cannot be used. The message begins with its path. */
export class ShardFileError extends StoreError {
  readonly problem: ShardProblem;

  constructor(problem: ShardProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
