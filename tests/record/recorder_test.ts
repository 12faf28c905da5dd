import assert from "node:assert/strict";
import { Recorder } from "../../runtime/record/recorder.ts";

const span = { track: "main", name: "load dataset", start: 1, end: 3 };

Deno.test("sums are always recorded, spans and counters only while keeping", () => {
  const recorder = new Recorder();
  recorder.span("main", "wait", 0, 2);
  recorder.counter("host queue", 1);
  recorder.keepDetail(span);
  assert.deepEqual(recorder.take(), { spans: [], counters: [], flows: [], leftOut: 0 });
  recorder.keeping = true;
  recorder.span("main", "wait", 2, 7);
  recorder.counter("host queue", 3, 2);
  const { spans, counters } = recorder.take();
  assert.deepEqual([spans.length, counters], [1, [{ counter: "host queue", time: 2, value: 3 }]]);
  assert.deepEqual(recorder.takeSums().get("wait"), { calls: 2, total: 7, min: 2, max: 5 });
});

Deno.test("spans and counters are limited, details more strictly, and the excess is counted", () => {
  const recorder = new Recorder();
  recorder.keeping = true;
  for (let i = 0; i < 60_000; i++) recorder.keepDetail(span);
  for (let i = 0; i < 60_000; i++) recorder.span("main", "wait", 0, 1);
  for (let i = 0; i < 110_000; i++) recorder.counter("host queue", i);
  const { spans, counters, leftOut } = recorder.take();
  assert.equal(spans.filter(({ name }) => name === "wait").length, 50_000);
  assert.deepEqual([spans.length, counters.length, leftOut], [100_000, 100_000, 10_000 + 10_000 + 10_000]);
  recorder.keepDetail(span);
  assert.deepEqual(recorder.take(), { spans: [span], counters: [], flows: [], leftOut: 0 });
});
