/** What a variant is being taken through. */
export type ProgressStage = "prepare" | "tune" | "compile" | "warmup" | "measure" | "profile" | "evaluate" | "data";

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
  /** The part of the whole run that is done, from 0 to 1, or null while that is unknown. */
  fraction: number | null;
}
