import type { CounterColumns, LaneColumns, TimelineColumns } from "../../embedded.ts";

/** Span on a track. Times are in microseconds since the start of the first span. */
export interface TimelineSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Step index; null where the span belongs to none. */
  readonly step: number | null;
  readonly facts: Readonly<Record<string, string | number>>;
  /** Index of its track, and of its row in the track. */
  readonly track: number;
  readonly row: number;
}

export interface Track {
  readonly name: string;
  readonly category: LaneColumns["category"];
  /** Spans by nesting depth; spans of a row do not overlap. */
  readonly rows: readonly (readonly TimelineSpan[])[];
  /** All spans, in order. */
  readonly spans: readonly TimelineSpan[];
}

/** Counter whose values each hold until the next time. */
export interface Counter {
  readonly name: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly highest: number;
}

export interface Timeline {
  readonly tracks: readonly Track[];
  /** Spans of all tracks by their start. */
  readonly events: readonly TimelineSpan[];
  readonly counters: readonly Counter[];
  readonly arrows: TimelineColumns["arrows"];
  /** End of the last span. */
  readonly end: number;
  /** Start and end of each step, by its spans. */
  readonly steps: readonly { readonly step: number; readonly start: number; readonly end: number }[];
}

/** Decodes a timeline from columns. */
export function decodeTimeline(columns: TimelineColumns): Timeline {
  const tracks = columns.lanes.map((lane, i) => decodeTrack(lane, i, columns));
  const spans = tracks.flatMap((track) => track.spans);
  const steps = new Map<number, { step: number; start: number; end: number }>();
  for (const { step, start, end } of spans) {
    if (step === null) continue;
    const known = steps.get(step);
    if (known === undefined) steps.set(step, { step, start, end });
    else {
      known.start = Math.min(known.start, start);
      known.end = Math.max(known.end, end);
    }
  }
  return {
    tracks,
    events: spans.toSorted((a, b) => a.start - b.start),
    counters: columns.counters.filter(({ name, value }) => value.length > 1 || name.startsWith("core")).map(
      decodeCounter,
    ),
    arrows: columns.arrows,
    end: spans.reduce((last, { end }) => Math.max(last, end), 0),
    steps: [...steps.values()].sort((a, b) => a.start - b.start),
  };
}

function decodeTrack(lane: LaneColumns, track: number, { labels, facts }: TimelineColumns): Track {
  const rows: TimelineSpan[][] = [];
  const spans: TimelineSpan[] = [];
  const open: number[] = [];
  let start = 0;
  for (const [i, step] of lane.start.entries()) {
    start += step;
    const end = start + lane.length[i]!;
    while (open.length > 0 && open.at(-1)! <= start + 1e-6) open.pop();
    const span = {
      name: labels[lane.label[i]!] ?? "",
      start,
      end,
      step: lane.step[i]! < 0 ? null : lane.step[i]!,
      facts: facts[lane.facts[i]!] ?? {},
      track,
      row: open.length,
    };
    (rows[open.length] ??= []).push(span);
    spans.push(span);
    open.push(end);
  }
  return { name: lane.name, category: lane.category, rows, spans };
}

function decodeCounter({ name, time, value }: CounterColumns): Counter {
  let at = 0;
  return {
    name,
    times: time.map((delta) => at += delta),
    values: value,
    highest: value.reduce((most, one) => Math.max(most, one), 0),
  };
}
