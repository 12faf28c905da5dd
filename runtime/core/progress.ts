/** What a variant is being taken through. */
export type ProgressStage =
  | "prepare"
  | "tune"
  | "compile"
  | "warmup"
  | "measure"
  | "profile"
  | "evaluate"
  | "target"
  | "data";

/** What can be told of a variant before its run has ended. */
export interface SoFar {
  /** Samples a second, over the blocks so far. */
  readonly ips: number;
  /** Of `ips`, such as `images/s`. */
  readonly unit: string;
  /** Times the speed of the baseline; null for the baseline, and before it has been measured. */
  readonly ratio: number | null;
  /** What a step waits for; null while that is unknown. */
  readonly bound: string | null;
}

/** One sign of life of a running experiment. */
export interface ProgressEvent {
  /** The variant at work, or null for what is done once for all of them. */
  variant: string | null;
  stage: ProgressStage;
  /** How much of the stage is done, in steps. */
  step: number;
  /** The steps of the stage; 0 when it has none. */
  steps: number;
  /** A few words beside the stage, such as `round 2/3`. */
  message?: string;
  /** What the variant's measured blocks show so far; absent before the first. */
  soFar?: SoFar;
  /** The part of the whole run that is done, from 0 to 1, or null while that is unknown. */
  fraction: number | null;
}
