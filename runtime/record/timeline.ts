/**
 * Events of a profiled run as plain data, from which traces are written. Times are in ms on the main thread's
 * `performance.now()` axis.
 *
 * @module
 */

/** A named interval on a track. Spans of one track nest or follow each other. */
export interface Span {
  /** One of `main`, `network`, `worker 0`, `device phases`, `device ops`, `device kernels`, `device ranges`, `copies`, `core 0`, `thread NAME ID`. */
  readonly track: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Step that it belongs to, counted over the variant's profiled run. */
  readonly step?: number;
  /** Further details, such as bytes, kernel and shapes. */
  readonly args?: Readonly<Record<string, string | number>>;
}

/** A counter's value from `time` on. */
export interface CounterSample {
  /** Name of the counter, such as `host queue`, `device queue` or `memory: activations`. */
  readonly counter: string;
  readonly time: number;
  readonly value: number;
}

/** An arrow from a submit on the main thread to its first kernel on the device. */
export interface Flow {
  readonly name: string;
  readonly from: { readonly track: string; readonly time: number };
  readonly to: { readonly track: string; readonly time: number };
}

/** Cost of sampling cores and threads during the profiled steps. */
export interface Sampling {
  /** Mean time between samples, in ms. */
  readonly interval: number;
  /** CPU time of sampling, as a fraction of one core. */
  readonly share: number;
}

/** Events in the profiled steps of one variant. */
export interface Timeline {
  readonly variant: string;
  /** Steps in the trace, which are limited, out of the profiled steps. */
  readonly steps?: { readonly traced: number; readonly profiled: number };
  /** Spans and samples of the host beyond the limits. */
  readonly leftOut?: number;
  /** Absent without lanes of cores and threads. */
  readonly sampling?: Sampling;
  /** Maximum error of the times against those of other timelines, in ms; absent on the clock of the main thread. */
  readonly clockUncertainty?: number;
  readonly spans: readonly Span[];
  readonly counters: readonly CounterSample[];
  readonly flows: readonly Flow[];
}
