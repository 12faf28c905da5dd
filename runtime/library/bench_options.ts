import type { DeviceEvent } from "../device/device_event.ts";
import type { MeasureSettings } from "../scenario/setting_types.ts";
import type { MeasurementControls } from "./measurement.ts";

/** Passed to a benchmarked function. */
export interface BenchContext {
  /** Number of the call, from 0, warm-up included. */
  readonly call: number;
  /** Adds the time between two recorded events to the device time of the step. It is read after the block. */
  deviceTime(begin: DeviceEvent, end: DeviceEvent): void;
}

/** A function with its set-up. Every copy of it, the control arm included, has separate state. */
export interface BenchEntry<S> {
  /** Called once before the first call, untimed; returns the state. */
  readonly setup?: () => S | PromiseLike<S>;
  /** The measured function; a promise is awaited. */
  readonly run: (state: S, context: BenchContext) => unknown;
  /** Called once after the last call, untimed, also after an error or an abort. */
  readonly teardown?: (state: S) => unknown;
}

/** A function to measure, alone or with its set-up. */
export type BenchFunction<S> = ((context: BenchContext) => unknown) | BenchEntry<S>;

/** Options of `bench`. */
export interface BenchOptions extends MeasurementControls {
  /** Name in reports and stored runs: a letter, then letters, digits and - _ . = Default `bench`. */
  readonly name?: string | undefined;
  /** Name of the function that the others are compared with. Default: the first. */
  readonly baseline?: string | undefined;
  /** Calls per step. Default: enough for a step of the fastest function to take a millisecond or more. */
  readonly calls?: number | undefined;
  /** Unit that a call processes, in the plural: `images` gives `images/s`. Default `calls`. */
  readonly unit?: string | undefined;
  /** Number of units that a call processes. Default 1. */
  readonly samples?: number | undefined;
  /** Device that the functions submit work to. A step then ends when the device has done its work. */
  readonly device?: GPUDevice | undefined;
  /** Warm-up, rounds and precision, as in a scenario. Default of `steps`: blocks of a tenth of a second or more. */
  readonly measure?: MeasureSettings | undefined;
}
