import assert from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import type { Span, Timeline } from "../../../runtime/record/timeline.ts";
import { renderTrace } from "../../../runtime/report/trace/trace.ts";
import { parseTrace, validateTrace } from "../../support/trace_validator.ts";
import { syntheticTimeline } from "../../support/synthetic_timeline.ts";

const span = (track: string, name: string, start: number, end: number): Span => ({ track, name, start, end });

function timeline(parts: Partial<Timeline>): Timeline {
  return { variant: "baseline", spans: [], counters: [], flows: [], ...parts };
}

/** Renders a valid trace, and returns its events of the given phase. */
function render(timelines: Timeline[], ph: string) {
  const text = renderTrace(timelines);
  assert.deepEqual(validateTrace(text), []);
  return parseTrace(text).traceEvents.filter((event) => event.ph === ph);
}

Deno.test("tracks become ordered threads, and times are microseconds from the first event", () => {
  const spans = [
    span("device ops", "conv1", 101, 102.5),
    span("worker 10", "decode", 100.5, 101),
    span("worker 2", "decode", 100.5, 101),
    span("main", "step 0", 100, 103),
    span("device phases", "forward", 101, 102.5),
  ];
  const named = render([timeline({ spans })], "M").filter(({ name }) => name === "thread_name");
  assert.deepEqual(
    named.map(({ args }) => args!["name"]),
    ["main", "worker 2", "worker 10", "device phases", "device ops"],
  );
  const [main, , , , op] = render([timeline({ spans })], "X");
  assert.deepEqual([main!.name, main!.ts, main!.dur], ["step 0", 0, 3000]);
  assert.deepEqual([op!.name, op!.ts, op!.dur], ["conv1", 1000, 1500]);
});

Deno.test("lanes of cores and threads follow the others, and the label says what sampling costs", () => {
  const spans = [
    span("thread deno 2", "running", 0, 1),
    span("core 1", "deno 2", 0, 1),
    span("device ranges", "stem", 0, 1),
    span("main", "step 0", 0, 1),
  ];
  const counters = [{ counter: "core 1: all programs", time: 0, value: 80 }];
  const one = timeline({ spans, counters, sampling: { interval: 12.34, share: 0.008 } });
  const meta = render([one], "M");
  assert.deepEqual(
    meta.filter(({ name }) => name === "thread_name").map(({ args }) => args!["name"]),
    ["main", "device ranges", "core 1", "thread deno 2"],
  );
  assert.deepEqual(
    meta.filter(({ name }) => name === "process_labels").map(({ args }) => args!["labels"]),
    ["cores and threads sampled every 12.3 ms, for 0.8 % of a core"],
  );
  assert.deepEqual(render([one], "X").map(({ cat }) => cat), ["host", "device", "cpu", "cpu"]);
  assert.deepEqual(render([one], "C").map(({ args }) => args), [{ "%": 80 }]);
});

Deno.test("a process is labelled if only a part of the profiled steps is traced", () => {
  const labels = (steps: Timeline["steps"]) =>
    render([timeline({ spans: [span("main", "a", 0, 1)], ...steps === undefined ? {} : { steps } })], "M")
      .filter(({ name }) => name === "process_labels").map(({ args }) => args!["labels"]);
  assert.deepEqual(labels({ traced: 100, profiled: 2000 }), ["first 100 of 2000 profiled steps"]);
  assert.deepEqual(labels({ traced: 5, profiled: 5 }), []);
  assert.deepEqual(labels(undefined), []);
});

Deno.test("each variant is a separate process", () => {
  const one = timeline({ variant: "baseline", spans: [span("main", "a", 5, 6)] });
  const two = timeline({ variant: "amp", spans: [span("main", "b", 8, 9)] });
  const names = render([one, two], "M").filter(({ name }) => name === "process_name");
  assert.deepEqual(names.map(({ args }) => args!["name"]), ["baseline", "amp"]);
  assert.deepEqual(render([one, two], "X").map(({ ts }) => ts), [0, 3000]);
});

Deno.test("spans that overlap without nesting keep their durations on separate lanes", () => {
  const spans = [
    span("copies", "a", 0, 10),
    span("copies", "b", 5, 15),
    span("copies", "c", 6, 8),
    span("copies", "d", 10, 12),
  ];
  const events = render([timeline({ spans })], "X");
  assert.deepEqual(new Set(events.map(({ tid }) => tid)).size, 2);
  assert.deepEqual(Object.fromEntries(events.map(({ name, dur }) => [name, dur])), {
    a: 10000,
    b: 10000,
    c: 2000,
    d: 2000,
  });
});

Deno.test("spans of invalid duration are omitted and counted", () => {
  const spans = [span("main", "good", 0, 1), span("main", "back", 3, 2), span("main", "open", 1, NaN)];
  const text = renderTrace([timeline({ spans, leftOut: 7 })]);
  assert.deepEqual(validateTrace(text), []);
  const { traceEvents, otherData } = parseTrace(text);
  assert.equal(traceEvents.filter(({ ph }) => ph === "X").length, 1);
  assert.equal(otherData["droppedEvents"], 2 + 7);
});

Deno.test("an arrow leads from the submit to the kernel, and never back in time", () => {
  const spans = [span("main", "step 0", 0, 9), span("main", "submit", 1, 2), span("device ops", "conv1", 1.9, 4)];
  const flow = (from: number, to: number) => ({
    name: "submit",
    from: { track: "main", time: from },
    to: { track: "device ops", time: to },
  });
  const flows = [flow(1.5, 1.9), flow(1, 1.9), flow(2, 1.9), flow(2, 6)];
  const text = renderTrace([timeline({ spans, flows })]);
  assert.deepEqual(validateTrace(text), []);
  const { traceEvents, otherData } = parseTrace(text);
  const starts = traceEvents.filter(({ ph }) => ph === "s");
  assert.deepEqual(starts.map(({ ts }) => ts), [1500, 1000, 1900]);
  assert.equal(otherData["droppedEvents"], 1);
});

Deno.test("counters have a unit and omit repeated values", () => {
  const at = (time: number, value: number) => ({ counter: "memory: activations", time, value });
  const counters = [at(3, 7), at(0, 5), at(1, 5), at(2, 5)];
  const events = render([timeline({ counters })], "C");
  assert.deepEqual(events.map(({ ts, args }) => [ts, args!["bytes"]]), [[0, 5], [2000, 5], [3000, 7]]);
});

Deno.test("hostile names are escaped", () => {
  const names = ['"},{"ph":"X"', "</script><script>", "a\u2028\0\ud800b", "__proto__", ""];
  const spans = names.map((name, i) => ({ ...span("main", name, i, i + 1), args: { [name]: name } }));
  const variant = '\\"<!--';
  const text = renderTrace([timeline({ variant, spans })], { scenario: "</script>" });
  assert.deepEqual(validateTrace(text), []);
  assert.ok(!text.includes("<"));
  const slices = parseTrace(text).traceEvents.filter(({ ph }) => ph === "X");
  assert.deepEqual(slices.map(({ name }) => name), names.map((name) => name.toWellFormed()));
  assert.equal(Object.getPrototypeOf(slices[3]!.args), Object.prototype);
});

Deno.test("any timeline gives a valid trace", () => {
  const time = fc.double({ min: 0, max: 50, noNaN: true });
  const track = fc.constantFrom("main", "copies", "device ops");
  const spans = fc.array(fc.record({ track, name: fc.string(), start: time, end: time }), { maxLength: 40 });
  const flows = fc.array(fc.record({
    name: fc.string(),
    from: fc.record({ track, time }),
    to: fc.record({ track, time }),
  }));
  const counters = fc.array(fc.record({ counter: fc.string(), time, value: fc.double() }));
  fc.assert(
    fc.property(spans, flows, counters, (spans, flows, counters) => {
      assert.deepEqual(validateTrace(renderTrace([timeline({ spans, flows, counters })])), []);
    }),
    { numRuns: 200, seed: 1 },
  );
});

Deno.test("ten steps of ResNet-50 with batches of four workers stay under 20 MB", () => {
  const text = renderTrace([syntheticTimeline({ steps: 10, ops: 700, workers: 4 })]);
  assert.deepEqual(validateTrace(text), []);
  assert.ok(new TextEncoder().encode(text).length < 20e6, `${text.length}`);
});

Deno.test("the validator reports invalid events", () => {
  const good = [
    { ph: "M", pid: 1, name: "process_name", args: { name: "p" } },
    { ph: "M", pid: 1, tid: 2, name: "thread_name", args: { name: "t" } },
  ];
  const slice = (ts: number, dur: number) => ({ ph: "X", pid: 1, tid: 2, name: "x", ts, dur });
  const problems = (...events: unknown[]) =>
    validateTrace(JSON.stringify({ traceEvents: [...good, ...events] })).join("\n");
  assert.equal(problems(slice(0, 4), slice(1, 2)), "");
  assert.match(problems(slice(0, 4), slice(1, 5)), /partial overlap/);
  assert.match(problems(slice(0, -1)), /negative/);
  assert.match(problems(slice(0.1, 1)), /rounded/);
  assert.match(problems({ ...slice(0, 1), tid: 9 }), /thread 9 has no name/);
  const arrow = { pid: 1, tid: 2, name: "a", cat: "flow", id: 1 };
  assert.match(problems(slice(0, 4), { ...arrow, ph: "s", ts: 1 }), /not have one start and one end/);
  const ends = (from: number, to: number) => [{ ...arrow, ph: "s", ts: from }, { ...arrow, ph: "f", bp: "e", ts: to }];
  assert.equal(problems(slice(0, 4), ...ends(1, 2)), "");
  assert.match(problems(slice(0, 4), ...ends(2, 1)), /back in time/);
  assert.match(problems(slice(0, 4), ...ends(1, 9)), /not within a slice/);
  const counter = (ts: number, value: unknown) => ({ ph: "C", pid: 1, name: "c", ts, args: { value } });
  assert.match(problems(counter(2, 1), counter(1, 1)), /not in order/);
  assert.match(problems(counter(2, "1")), /no number/);
});
