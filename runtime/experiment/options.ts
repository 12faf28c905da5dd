import type { Cluster } from "../cluster/cluster.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Emit } from "../result/run_event.ts";
import type { ModuleSource } from "../store/module_source.ts";
import type { RunRecorder } from "../store/run_recorder.ts";
import type { ScenarioSource } from "./distributed/processes/protocol.ts";

export interface ExperimentOptions {
  /** Substring of the name of the adapter to use. */
  readonly adapter?: string | undefined;
  /** Polled between steps. Once it returns true, the run ends and returns its measurements. */
  readonly interrupted: () => boolean;
  /** Called with events of the run, between steps. */
  readonly onEvent?: Emit;
  /** Profiled steps to run after the measured ones; null for none. */
  readonly profile: ProfileRequest | null;
  /** Name of a variant to measure without profiling or ablating it. */
  readonly unprofiled?: string;
  /** Rounds to run regardless of `measure.maxTime`. */
  readonly minRounds?: number;
  /** Ranks that share the training of distributed variants; null or missing for one. */
  readonly cluster?: Cluster | null;
  /** Lets ranks of a host use the same device. Default false; software adapters are always shared. */
  readonly shareDevice?: boolean;
  /** Keeps the adapter's peaks and the times of kernels in the cache folder. Default true. */
  readonly cache?: boolean;
  /** Script from which fresh processes plan variants; null or missing where none can, such as for functions. */
  readonly processSource?: ScenarioSource | null;
  readonly script: { readonly file: string | null; readonly sha256: string | null };
  /** Returns the local modules of the script, which ranks compare. */
  readonly modules?: () => Promise<readonly Pick<ModuleSource, "path" | "sha256">[]>;
  /** Records complete rounds. Rounds that it has from earlier sittings are not repeated. */
  readonly runRecorder?: RunRecorder | null;
}
