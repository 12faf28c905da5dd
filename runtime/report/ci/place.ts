/** A line of the user's script. */
export interface Place {
  /** Path relative to the root of the repository. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}
