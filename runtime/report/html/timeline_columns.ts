import type { Timeline } from "../../record/timeline.ts";
import { bindFlows } from "../trace/flows.ts";
import { type Lane, layOut, TICKS, toTicks } from "../trace/lanes.ts";
import type { Arrow, CounterColumns, LaneColumns, TimelineColumns } from "./embedded.ts";

/**
 * Packs the first steps of a timeline as columns of microseconds with two decimals: as many steps as fit into `budget`
 * characters of JSON, at least one.
 */
export function timelineColumns(timeline: Timeline, budget: number): TimelineColumns {
  const steps = [...new Set(timeline.spans.flatMap(({ step }) => step ?? []))].sort((a, b) => a - b);
  const recorded = timeline.steps?.profiled ?? steps.length;
  let columns = encode(timeline, recorded);
  for (let kept = steps.length; kept > 1;) {
    const size = JSON.stringify(columns).length;
    if (size <= budget) break;
    kept = Math.max(1, Math.min(kept - 1, Math.floor(kept * budget / size)));
    columns = encode(cut(timeline, new Set(steps.slice(0, kept))), recorded);
  }
  return columns;
}

/** Keeps the spans of the given steps, and everything else up to the end of the last one. */
function cut(timeline: Timeline, kept: ReadonlySet<number>): Timeline {
  const own = timeline.spans.filter(({ step }) => step !== undefined && kept.has(step));
  const end = own.reduce((last, span) => Math.max(last, span.end), -Infinity);
  return {
    ...timeline,
    spans: timeline.spans.filter((span) => span.step === undefined ? span.start < end : kept.has(span.step)),
    counters: timeline.counters.filter(({ time }) => time <= end),
    flows: timeline.flows.filter(({ to }) => to.time <= end),
  };
}

function encode(timeline: Timeline, recorded: number): TimelineColumns {
  const labels = new Places<string>();
  const facts = new Places<Readonly<Record<string, string | number>>>();
  const origin = timeline.spans.reduce((least, { start }) => Math.min(least, start), Infinity);
  const { lanes } = layOut(timeline.spans, Number.isFinite(origin) ? origin : 0);
  return {
    steps: new Set(timeline.spans.flatMap(({ step }) => step ?? [])).size,
    recorded,
    leftOut: timeline.leftOut ?? 0,
    sampling: timeline.sampling ?? null,
    lanes: lanes.map((lane) => encodeLane(lane, labels, facts)),
    counters: counters(timeline, origin),
    arrows: arrows(timeline, lanes, origin),
    labels: labels.items,
    facts: facts.items,
  };
}

function encodeLane(
  { name, category, slices }: Lane,
  labels: Places<string>,
  facts: Places<Readonly<Record<string, string | number>>>,
): LaneColumns {
  return {
    name,
    category,
    start: deltas(slices.map(({ start }) => start)),
    length: slices.map(({ start, end }) => micros(end) - micros(start)).map(rounded),
    label: slices.map(({ span }) => labels.of(span.name)),
    facts: slices.map(({ span }) => span.args === undefined ? -1 : facts.of(span.args)),
    step: slices.map(({ span }) => span.step ?? -1),
  };
}

function counters({ counters }: Timeline, origin: number): CounterColumns[] {
  return [...Map.groupBy(counters, ({ counter }) => counter)].map(([name, samples]) => {
    const sorted = samples.filter(({ time, value }) => Number.isFinite(time) && Number.isFinite(value))
      .toSorted((a, b) => a.time - b.time)
      .filter(({ value }, i, all) => value !== all[i - 1]?.value);
    return {
      name,
      time: deltas(sorted.map(({ time }) => Math.max(0, toTicks(time, origin)))),
      value: sorted.map(({ value }) => value),
    };
  });
}

function arrows(timeline: Timeline, lanes: readonly Lane[], origin: number): Arrow[] {
  return bindFlows(timeline.flows, lanes, origin).arrows.map(({ name, from, to }) => ({
    name,
    from: [from.lane, micros(from.time)],
    to: [to.lane, micros(to.time)],
  }));
}

/** Returns differences of rounded values, so that rounding errors do not accumulate. */
function deltas(ticks: readonly number[]): number[] {
  return ticks.map((tick, i) => rounded(micros(tick) - (i === 0 ? 0 : micros(ticks[i - 1]!))));
}

function micros(ticks: number): number {
  return rounded(ticks / TICKS);
}

function rounded(microseconds: number): number {
  return Math.round(microseconds * 100) / 100;
}

/** Distinct items in order of first use. */
class Places<T> {
  readonly items: T[] = [];
  readonly #places = new Map<string, number>();

  of(item: T): number {
    const key = JSON.stringify(item);
    let place = this.#places.get(key);
    if (place === undefined) this.#places.set(key, place = this.items.push(item) - 1);
    return place;
  }
}
