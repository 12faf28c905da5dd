import type { CounterSample, Flow, Span } from "./timeline.ts";

/** Sums over spans of one name, in ms. */
export interface SpanSums {
  readonly calls: number;
  readonly total: number;
  readonly min: number;
  readonly max: number;
}

/** Adds the sums of two intervals. */
export function addSums(a: SpanSums, b: SpanSums): SpanSums {
  return {
    calls: a.calls + b.calls,
    total: a.total + b.total,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
  };
}

/** Maximum number of stored spans and of stored counter samples, and of spans of details. */
const MAX_KEPT = 100_000;
const MAX_DETAILS = 50_000;

/**
 * Records spans and counters of the host. Sums by name are always stored; the spans themselves only while `keeping` is
 * true, so that long runs stay small. Code that may be recorded holds a `Recorder | null` and does nothing without one.
 */
export class Recorder {
  #sums = new Map<string, SpanSums>();
  #spans: Span[] = [];
  #counters: CounterSample[] = [];
  #flows: Flow[] = [];
  #details = 0;
  #leftOut = 0;
  /** True while a profiled step runs. */
  recording = false;
  /** True while spans, counters and flows are stored, that is, in the first profiled steps. */
  keeping = false;

  /** Records a span; `start` and `end` are `performance.now()`, in ms. */
  span(track: string, name: string, start: number, end: number, extra?: Pick<Span, "step" | "args">): void {
    const duration = end - start;
    const one = { calls: 1, total: duration, min: duration, max: duration };
    const sums = this.#sums.get(name);
    this.#sums.set(name, sums === undefined ? one : addSums(sums, one));
    this.keep({ track, name, start, end, ...extra });
  }

  /** Records a span for the trace only, without adding it to the sums. */
  keep(span: Span): void {
    if (!this.keeping) return;
    if (this.#spans.length < MAX_KEPT) this.#spans.push(span);
    else this.#leftOut++;
  }

  /** Records one of many minor spans. They have a lower limit, which leaves room for more important ones. */
  keepDetail(span: Span): void {
    if (!this.keeping) return;
    if (this.#details++ < MAX_DETAILS) this.keep(span);
    else this.#leftOut++;
  }

  counter(counter: string, value: number, time: number = performance.now()): void {
    if (!this.keeping) return;
    if (this.#counters.length < MAX_KEPT) this.#counters.push({ counter, time, value });
    else this.#leftOut++;
  }

  flow(flow: Flow): void {
    if (this.keeping) this.#flows.push(flow);
  }

  /** Returns the sums by name and resets them. */
  takeSums(): ReadonlyMap<string, SpanSums> {
    const sums = this.#sums;
    this.#sums = new Map();
    return sums;
  }

  /** Returns what is stored and resets it. `leftOut` is the number of spans and samples beyond the limits. */
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
