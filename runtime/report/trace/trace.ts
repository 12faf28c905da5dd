/**
 * Timelines in Chrome's trace event format, for Perfetto (ui.perfetto.dev), chrome://tracing and speedscope.
 * Format: "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 *
 * @module
 */
import type { Sampling, Timeline } from "../../record/timeline.ts";
import type { Result } from "../../result/schema.ts";
import { bindFlows } from "./flows.ts";
import { type Lane, layOut, TICKS, toTicks } from "./lanes.ts";
import { formatNumber, formatPercent } from "../format.ts";

/** Facts about the run, stored beside the events. */
export type TraceMeta = Readonly<Record<string, string | number | null>>;

/** Returns the facts about a result that its trace stores. */
export function traceMeta({ scenario, environment }: Pick<Result, "scenario" | "environment">): TraceMeta {
  return { scenario: scenario.name, adapter: environment.adapter?.name ?? null, tacho: environment.tacho };
}

/** Common members of events. */
interface TraceEvent {
  readonly ph: "M" | "X" | "C" | "s" | "f";
  readonly pid: number;
  readonly tid?: number;
  /** Microseconds. */
  readonly ts?: number;
  readonly name: string;
  readonly [member: string]: unknown;
}

/** Renders the whole trace as one string; use {@linkcode traceChunks} to write it in pieces. */
export function renderTrace(timelines: readonly Timeline[], meta: TraceMeta = {}): string {
  return traceChunks(timelines, meta).toArray().join("");
}

/**
 * Renders the trace in pieces: a process for each variant, a thread for each track, counters and flow arrows. Times
 * start at the earliest event.
 */
export function* traceChunks(timelines: readonly Timeline[], meta: TraceMeta = {}): Generator<string> {
  const origin = earliest(timelines);
  let separator = "\n";
  let dropped = 0;
  let firstFlow = 0;
  let nextTid = timelines.length + 1; // pids and tids must differ: viewers treat equal ones as main threads
  yield '{"displayTimeUnit":"ms","traceEvents":[';
  for (const [index, timeline] of timelines.entries()) {
    const lanes = layOut(timeline.spans, origin);
    const laneTids = lanes.lanes.map(() => nextTid++);
    const process = new ProcessEvents(index + 1, timeline, lanes.lanes, laneTids, firstFlow, origin);
    for (const event of process.all()) {
      yield separator + serialize(event);
      separator = ",\n";
    }
    dropped += lanes.dropped + process.dropped + (timeline.leftOut ?? 0);
    firstFlow += timeline.flows.length;
  }
  yield `\n],"otherData":${serialize({ ...meta, droppedEvents: dropped })}}\n`;
}

class ProcessEvents {
  /** Number of events that cannot be shown: infinite values, or arrows without slices. */
  dropped = 0;
  readonly #pid: number;
  readonly #timeline: Timeline;
  readonly #lanes: readonly Lane[];
  readonly #tids: readonly number[];
  readonly #firstFlow: number;
  readonly #origin: number;

  constructor(
    pid: number,
    timeline: Timeline,
    lanes: readonly Lane[],
    tids: readonly number[],
    firstFlow: number,
    origin: number,
  ) {
    this.#pid = pid;
    this.#timeline = timeline;
    this.#lanes = lanes;
    this.#tids = tids;
    this.#firstFlow = firstFlow;
    this.#origin = origin;
  }

  *all(): Generator<TraceEvent> {
    yield* this.#names();
    yield* this.#slices();
    yield* this.#flows();
    yield* this.#counters();
  }

  *#names(): Generator<TraceEvent> {
    const pid = this.#pid;
    yield { ph: "M", pid, name: "process_name", args: { name: this.#timeline.variant } };
    yield { ph: "M", pid, name: "process_sort_index", args: { sort_index: pid } };
    const { steps, sampling, clockUncertainty } = this.#timeline;
    const labels: string[] = [];
    if (steps !== undefined && steps.traced < steps.profiled) {
      labels.push(`first ${steps.traced} of ${steps.profiled} profiled steps`);
    }
    if (sampling !== undefined) labels.push(samplingText(sampling));
    if (clockUncertainty !== undefined) labels.push(`clock within ±${clockUncertainty.toFixed(3)} ms of rank 0's`);
    if (labels.length > 0) yield { ph: "M", pid, name: "process_labels", args: { labels: labels.join(", ") } };
    for (const [i, lane] of this.#lanes.entries()) {
      const tid = this.#tids[i]!;
      yield { ph: "M", pid, tid, name: "thread_name", args: { name: lane.name } };
      yield { ph: "M", pid, tid, name: "thread_sort_index", args: { sort_index: i } };
    }
  }

  *#slices(): Generator<TraceEvent> {
    for (const [i, lane] of this.#lanes.entries()) {
      for (const { start, end, span } of lane.slices) {
        const args = { ...span.step === undefined ? {} : { step: span.step }, ...span.args };
        yield {
          ph: "X",
          pid: this.#pid,
          tid: this.#tids[i]!,
          ts: start / TICKS,
          dur: (end - start) / TICKS,
          cat: lane.category,
          name: span.name,
          ...Object.keys(args).length === 0 ? {} : { args },
        };
      }
    }
  }

  *#flows(): Generator<TraceEvent> {
    const { arrows, dropped } = bindFlows(this.#timeline.flows, this.#lanes, this.#origin);
    this.dropped += dropped;
    for (const [i, { name, from, to }] of arrows.entries()) {
      const common = { pid: this.#pid, id: this.#firstFlow + i, cat: "flow", name };
      yield { ph: "s", ...common, tid: this.#tids[from.lane]!, ts: from.time / TICKS };
      yield { ph: "f", bp: "e", ...common, tid: this.#tids[to.lane]!, ts: to.time / TICKS };
    }
  }

  /** Yields counters by name; repeated values are left out. */
  *#counters(): Generator<TraceEvent> {
    const byName = Map.groupBy(this.#timeline.counters, ({ counter }) => counter);
    for (const [name, samples] of byName) {
      const finite = samples.filter(({ time, value }) => Number.isFinite(time) && Number.isFinite(value));
      this.dropped += samples.length - finite.length;
      const sorted = finite.toSorted((a, b) => a.time - b.time);
      for (const [i, { time, value }] of sorted.entries()) {
        const repeated = value === sorted[i - 1]?.value && value === sorted[i + 1]?.value;
        if (repeated) continue;
        const ts = toTicks(time, this.#origin) / TICKS;
        yield { ph: "C", pid: this.#pid, ts, name, args: { [counterUnit(name)]: value } };
      }
    }
  }
}

/** Returns a counter's unit, by its name. */
function counterUnit(name: string): string {
  if (name.startsWith("memory")) return "bytes";
  if (name.startsWith("core")) return "%";
  return name.endsWith("queue") ? "batches" : "value";
}

function earliest(timelines: readonly Timeline[]): number {
  let least = Infinity;
  for (const { spans, counters } of timelines) {
    for (const { start } of spans) if (start < least) least = start;
    for (const { time } of counters) if (time < least) least = time;
  }
  return Number.isFinite(least) ? least : 0;
}

/** Serialises to JSON that is safe to embed in HTML, with well-formed text. */
function serialize(value: unknown): string {
  return JSON.stringify(value, (_, member) => typeof member === "string" ? member.toWellFormed() : member)
    .replaceAll("<", "\\u003c");
}

/** Describes how cores and threads were sampled, and the cost. */
export function samplingText({ interval, share }: Sampling): string {
  return `cores and threads sampled every ${formatNumber(interval)} ms, for ${formatPercent(share)} % of a core`;
}
