/**
 * What happened when, as plain data: the material of traces. Times are milliseconds on the main thread's
 * `performance.now()` axis.
 *
 * @module
 */

/** A stretch of time on a track. Spans of one track nest or follow each other. */
export interface Span {
  /** `main`, `worker 0`, `device phases`, `device ops`, `device ranges`, `copies`. */
  readonly track: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The step it belongs to, counted over the variant's profiled run. */
  readonly step?: number;
  /** Further facts, such as bytes, kernel and shapes. */
  readonly args?: Readonly<Record<string, string | number>>;
}

/** A value that holds from `time` on. */
export interface CounterSample {
  /** `host queue`, `device queue`, `memory: activations`, ... */
  readonly counter: string;
  readonly time: number;
  readonly value: number;
}

/** From the submit on the main thread to the first kernel of it on the device. */
export interface Flow {
  readonly name: string;
  readonly from: { readonly track: string; readonly time: number };
  readonly to: { readonly track: string; readonly time: number };
}

/** The profiled steps of one variant. */
export interface Timeline {
  readonly variant: string;
  /** Steps that are shown, of those that were profiled: there is a bound to the first. */
  readonly steps?: { readonly traced: number; readonly profiled: number };
  /** Spans and samples of the host that there was no room for. */
  readonly leftOut?: number;
  readonly spans: readonly Span[];
  readonly counters: readonly CounterSample[];
  readonly flows: readonly Flow[];
}
