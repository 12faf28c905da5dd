import type { ProfileSettings } from "../scenario/setting_types.ts";
import type { MeasurementControls } from "./measurement.ts";

/** Options of `measure`. */
export interface MeasurementOptions extends MeasurementControls {
  /** Settings and sweeps as on the command line: `["loader.batchSize=64", "sink=0,10"]`. */
  readonly settings?: readonly string[] | undefined;
  /** Names of the variants to measure. Default: all. */
  readonly variants?: readonly string[] | undefined;
  /** Adapter to use: `low-power`, `high-performance`, or part of its name, UUID or PCI address. */
  readonly adapter?: string | undefined;
  /**
   * Profiles steps after the measured ones, in a schedule like that of the scenario's `profile`; true profiles 5 steps after
   * one warm-up step, false none. Default: true with `report`, else as the scenario says.
   */
  readonly profile?: boolean | ProfileSettings | undefined;
  /** Keeps the adapter's peaks and the times of kernels in the cache folder, as the command line does. Default false. */
  readonly cache?: boolean | undefined;
}
