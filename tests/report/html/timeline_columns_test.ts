import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Timeline } from "../../../runtime/record/timeline.ts";
import { decodeTimeline } from "../../../runtime/report/html/client/timeline/decode.ts";
import { View } from "../../../runtime/report/html/client/timeline/view.ts";
import { timelineColumns } from "../../../runtime/report/html/timeline_columns.ts";
import { syntheticTimeline } from "../../support/synthetic_timeline.ts";

const timeline = syntheticTimeline({ steps: 6, ops: 30, workers: 2 });

Deno.test("spans round-trip through columns", () => {
  const decoded = decodeTimeline(timelineColumns(timeline, Infinity));
  const origin = Math.min(...timeline.spans.map(({ start }) => start));
  const found = decoded.tracks.flatMap(({ name, spans }) =>
    spans.map((span) => ({ ...span, track: name.replace(/ \(\d+\)$/, "") }))
  );
  strictEqual(found.length, timeline.spans.length);
  const byPlace = (a: { track: string; name: string; start: number }, b: typeof a) =>
    a.track.localeCompare(b.track) || a.start - b.start || a.name.localeCompare(b.name);
  const expected = timeline.spans.map((span) => ({
    ...span,
    start: (span.start - origin) * 1000,
    end: (span.end - origin) * 1000,
  }))
    .toSorted(byPlace);
  for (const [i, span] of found.toSorted(byPlace).entries()) {
    const wanted = expected[i]!;
    deepStrictEqual([span.track, span.name, span.step, span.facts], [
      wanted.track,
      wanted.name,
      wanted.step ?? null,
      wanted.args ?? {},
    ]);
    ok(Math.abs(span.start - wanted.start) < 0.05, `${span.start} ${wanted.start}`);
    ok(Math.abs(span.end - wanted.end) < 0.05, `${span.end} ${wanted.end}`);
  }
});

Deno.test("spans of a row do not overlap, and nested spans are on separate rows", () => {
  for (const { rows } of decodeTimeline(timelineColumns(timeline, Infinity)).tracks) {
    for (const spans of rows) {
      for (const [i, span] of spans.entries()) ok(i === 0 || span.start >= spans[i - 1]!.end - 0.02);
    }
  }
  const main = decodeTimeline(timelineColumns(timeline, Infinity)).tracks[0]!;
  deepStrictEqual([main.name, main.rows.length, main.rows[0]![0]!.name], ["main", 2, "step 0"]);
});

Deno.test("a timeline over its size limit keeps its first steps in full", () => {
  const whole = JSON.stringify(timelineColumns(timeline, Infinity)).length;
  const columns = timelineColumns(timeline, whole / 2);
  ok(JSON.stringify(columns).length <= whole / 2);
  ok(columns.steps >= 1 && columns.steps < 6);
  strictEqual(columns.recorded, 6);
  const decoded = decodeTimeline(columns);
  deepStrictEqual(decoded.steps.map(({ step }) => step), Array.from({ length: columns.steps }, (_, i) => i));
  strictEqual(timelineColumns(timeline, 10).steps, 1);
});

Deno.test("an empty timeline is accepted, and invalid times are omitted", () => {
  const empty: Timeline = { variant: "a", spans: [], counters: [], flows: [] };
  deepStrictEqual(decodeTimeline(timelineColumns(empty, 100)).tracks, []);
  const odd: Timeline = {
    variant: "a",
    spans: [
      { track: "main", name: "endless", start: 1, end: Infinity },
      { track: "main", name: "backwards", start: 5, end: 4 },
      { track: "main", name: "right", start: 2, end: 3 },
    ],
    counters: [{ counter: "c", time: NaN, value: 1 }, { counter: "c", time: 0, value: Infinity }],
    flows: [],
  };
  deepStrictEqual(decodeTimeline(timelineColumns(odd, 1e6)).tracks.map(({ spans }) => spans.map(({ name }) => name)), [[
    "right",
  ]]);
});

Deno.test("a view stays within the timeline and zooms around a point", () => {
  const view = new View(0, 100, 1000);
  view.zoom(0.5, 20);
  deepStrictEqual([view.from, view.to], [10, 60]);
  view.pan(-1);
  deepStrictEqual([view.from, view.to], [0, 50]);
  view.show(980, 1080);
  deepStrictEqual([view.from, view.to], [900, 1000]);
  view.zoom(100);
  deepStrictEqual([view.from, view.to], [0, 1000]);
  for (let i = 0; i < 100; i++) view.zoom(0.5);
  ok(view.to > view.from);
  view.reveal(700, 710);
  ok(view.from <= 700 && view.to >= 710);
});
