import type { CounterSample, Flow, Span } from "./timeline.ts";

/** Sums over spans of one name: milliseconds. */
export interface SpanSums {
  readonly calls: number;
  readonly total: number;
  readonly min: number;
  readonly max: number;
}

/** Sums of two stretches of time together. */
export function addSums(a: SpanSums, b: SpanSums): SpanSums {
  return {
    calls: a.calls + b.calls,
    total: a.total + b.total,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
  };
}

/** The most that is kept: of all spans, of all samples of counters, and of the spans inside of batches. */
const MOST_KEPT = 100_000;
const MOST_DETAILS = 50_000;

/**
 * Takes spans and counters of the host. Sums by name are always kept; the spans themselves only while `keeping`, so that
 * long runs stay small. Code that may be recorded holds a `Recorder | null` and does nothing without one.
 */
export class Recorder {
  #sums = new Map<string, SpanSums>();
  #spans: Span[] = [];
  #counters: CounterSample[] = [];
  #flows: Flow[] = [];
  #details = 0;
  #leftOut = 0;
  /** Whether the step at hand is one of those that are profiled. */
  recording = false;
  /** Whether spans, counters and flows are kept: of the first profiled steps. */
  keeping = false;

  /** Notes a stretch of time; `start` and `end` are `performance.now()`. */
  span(track: string, name: string, start: number, end: number, extra?: Pick<Span, "step" | "args">): void {
    const duration = end - start;
    const one = { calls: 1, total: duration, min: duration, max: duration };
    const sums = this.#sums.get(name);
    this.#sums.set(name, sums === undefined ? one : addSums(sums, one));
    this.keep({ track, name, start, end, ...extra });
  }

  /** Notes a span for the trace alone: it adds to no sum. */
  keep(span: Span): void {
    if (!this.keeping) return;
    if (this.#spans.length < MOST_KEPT) this.#spans.push(span);
    else this.#leftOut++;
  }

  /** Notes a span of which there are many, where there is room for those that matter more. */
  keepDetail(span: Span): void {
    if (!this.keeping) return;
    if (this.#details++ < MOST_DETAILS) this.keep(span);
    else this.#leftOut++;
  }

  counter(counter: string, value: number, time = performance.now()): void {
    if (!this.keeping) return;
    if (this.#counters.length < MOST_KEPT) this.#counters.push({ counter, time, value });
    else this.#leftOut++;
  }

  flow(flow: Flow): void {
    if (this.keeping) this.#flows.push(flow);
  }

  /** Takes out the sums by name. */
  takeSums(): ReadonlyMap<string, SpanSums> {
    const sums = this.#sums;
    this.#sums = new Map();
    return sums;
  }

  /** Takes out what was kept; `leftOut` is how much there was no room for. */
  take(): { spans: Span[]; counters: CounterSample[]; flows: Flow[]; leftOut: number } {
    const taken = { spans: this.#spans, counters: this.#counters, flows: this.#flows, leftOut: this.#leftOut };
    this.#spans = [];
    this.#counters = [];
    this.#flows = [];
    this.#details = 0;
    this.#leftOut = 0;
    return taken;
  }
}
