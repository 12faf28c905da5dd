import type { CounterSample, Flow, Span } from "./timeline.ts";

/** Sums over spans of one name: milliseconds. */
export interface SpanSums {
  readonly calls: number;
  readonly total: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Takes spans and counters of the host. Sums by name are always kept; the spans themselves only while `keeping`, so that
 * long runs stay small. Code that may be recorded holds a `Recorder | null` and does nothing without one.
 */
export class Recorder {
  readonly #sums = new Map<string, { calls: number; total: number; min: number; max: number }>();
  #spans: Span[] = [];
  #counters: CounterSample[] = [];
  #flows: Flow[] = [];
  /** Whether spans, counters and flows are kept. */
  keeping = false;

  /** Notes a stretch of time; `start` and `end` are `performance.now()`. */
  span(track: string, name: string, start: number, end: number, extra?: Pick<Span, "step" | "args">): void {
    const duration = end - start;
    const sums = this.#sums.get(name);
    if (sums === undefined) this.#sums.set(name, { calls: 1, total: duration, min: duration, max: duration });
    else {
      sums.calls++;
      sums.total += duration;
      if (duration < sums.min) sums.min = duration;
      if (duration > sums.max) sums.max = duration;
    }
    this.keep({ track, name, start, end, ...extra });
  }

  /** Notes a span for the trace alone: it adds to no sum. */
  keep(span: Span): void {
    if (this.keeping) this.#spans.push(span);
  }

  counter(counter: string, value: number, time = performance.now()): void {
    if (this.keeping) this.#counters.push({ counter, time, value });
  }

  flow(flow: Flow): void {
    if (this.keeping) this.#flows.push(flow);
  }

  /** Sums by name since the last call of {@linkcode Recorder.reset}. */
  sums(): ReadonlyMap<string, SpanSums> {
    return this.#sums;
  }

  /** Takes out what was kept. */
  take(): { spans: Span[]; counters: CounterSample[]; flows: Flow[] } {
    const taken = { spans: this.#spans, counters: this.#counters, flows: this.#flows };
    this.#spans = [];
    this.#counters = [];
    this.#flows = [];
    return taken;
  }

  /** Forgets the sums. */
  reset(): void {
    this.#sums.clear();
  }
}
