import type { ProgressEvent } from "../core/progress.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Timeline } from "../record/timeline.ts";
import type { Keeper } from "../store/keeper.ts";

export interface ExperimentOptions {
  /** Part of the name of the adapter to use. */
  readonly adapter?: string;
  /** Looked at between steps; once it is true the run ends and what was measured is returned. */
  readonly interrupted: () => boolean;
  readonly onProgress: (event: ProgressEvent) => void;
  /** Told of what did not work and does not matter much. */
  readonly onWarning?: (message: string) => void;
  /** Profiled steps to run after the measured ones; null for none. */
  readonly profile: ProfileRequest | null;
  /** Name of a variant that is measured, but neither profiled nor run with parts taken away. */
  readonly unprofiled?: string;
  /** Rounds that are run even if `measure.maxTime` is up before. */
  readonly minRounds?: number;
  /** Given the profiled steps of each variant on one time axis, at the end. */
  readonly onTimeline?: (timeline: Timeline) => void;
  readonly script: { readonly file: string | null; readonly sha256: string | null };
  /** Takes each whole round; the rounds that it has from earlier sittings are not run again. */
  readonly keeper?: Keeper | null;
}
