import type { ProfileRequest } from "../record/schedule.ts";
import type { Emit } from "../result/run_event.ts";
import type { RunRecorder } from "../store/run_recorder.ts";

export interface ExperimentOptions {
  /** Part of the name of the adapter to use. */
  readonly adapter?: string;
  /** Looked at between steps; once it is true the run ends and what was measured is returned. */
  readonly interrupted: () => boolean;
  /** Called with what happens during the run, between steps. */
  readonly onEvent?: Emit;
  /** Profiled steps to run after the measured ones; null for none. */
  readonly profile: ProfileRequest | null;
  /** Name of a variant that is measured, but neither profiled nor run with parts taken away. */
  readonly unprofiled?: string;
  /** Rounds that are run even if `measure.maxTime` is up before. */
  readonly minRounds?: number;
  readonly script: { readonly file: string | null; readonly sha256: string | null };
  /** Takes each whole round; the rounds that it has from earlier sittings are not run again. */
  readonly runRecorder?: RunRecorder | null;
}
