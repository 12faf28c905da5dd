import assert from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import stringWidth from "string-width";
import type { ProgressEvent, SoFar } from "../../../runtime/result/run_event.ts";
import { liveLine, liveLines, type LiveState } from "../../../runtime/report/live/view.ts";
import { RemainingTime } from "../../../runtime/report/live/remaining_time.ts";
import { hostileText } from "../hostile.ts";

const event: ProgressEvent = { type: "progress", variant: "v3", stage: "measure", step: 4, steps: 10, fraction: 0.25 };

function soFar(ratio: number | null): SoFar {
  return { ips: 100 * (ratio ?? 1), unit: "images/s", ratio, bound: null };
}

function state(fields: Partial<LiveState> = {}): LiveState {
  return { event, elapsed: 30_000, left: 90_000, measured: new Map(), ...fields };
}

Deno.test("unknown values are omitted", () => {
  const preparing: ProgressEvent = {
    type: "progress",
    variant: null,
    stage: "data",
    step: 0,
    steps: 0,
    fraction: null,
  };
  assert.deepEqual(liveLines(state({ event: preparing, left: null }), { columns: 80, rows: 24 }), [
    "preparing data",
    "0:30",
  ]);
  assert.equal(liveLine(state({ event: preparing, left: null })), "preparing data · 0:30");
});

Deno.test("a stage counts its steps or its kernels", () => {
  const doing = (fields: Partial<ProgressEvent>) =>
    liveLines(state({ event: { ...event, ...fields } }), { columns: 80, rows: 24 })[0];
  assert.equal(doing({}), "v3 · measuring · step 4/10");
  assert.equal(doing({ stage: "compile" }), "v3 · compiling · kernel 4/10");
  assert.equal(doing({ stage: "peaks", variant: null }), "measuring the adapter's peaks · kernel 4/10");
  assert.equal(doing({ stage: "report", variant: null, step: 0, steps: 0 }), "writing the report");
});

Deno.test("of many variants only the baseline, the current one and the fastest are shown", () => {
  const measured = new Map(Array.from({ length: 60 }, (_, i) => [`v${i}`, soFar(i === 0 ? null : 1 + i / 100)]));
  const [, , ...lines] = liveLines(state({ measured }), { columns: 80, rows: 24 });
  assert.deepEqual(lines.map((line) => line.trim().split(/ {2,}/)[0]), [
    "v0",
    "> v3",
    "v56",
    "v57",
    "v58",
    "v59",
    "and 54 more",
  ]);
});

Deno.test("lines fit a terminal of any size and contain no control characters, with any names", () => {
  const size = fc.record({ columns: fc.integer({ min: 1, max: 120 }), rows: fc.integer({ min: 1, max: 30 }) });
  fc.assert(fc.property(size, fc.array(hostileText(), { minLength: 1, maxLength: 9 }), (size, names) => {
    const measured = new Map(
      names.map((name) => [name, { ...soFar(1.1), unit: `${names[0]}/s`, bound: names.at(-1)! }]),
    );
    const hostile = { ...event, variant: names[0]!, message: names.at(-1)! };
    const lines = liveLines(state({ event: hostile, measured }), size);
    assert(lines.length >= 1 && lines.length <= Math.max(1, size.rows - 1));
    for (const line of lines) {
      assert(stringWidth(line) <= Math.max(1, size.columns - 1), line);
      assert.doesNotMatch(line, /\p{C}/u);
    }
    assert.doesNotMatch(liveLine(state({ event: hostile, measured })), /\p{C}/u);
  }));
});

Deno.test("the remaining time is estimated from the pace after the first step, without data preparation", () => {
  const remaining = new RemainingTime();
  const at = (fraction: number | null, stage: ProgressEvent["stage"], time: number) =>
    remaining.at({ ...event, fraction, stage }, time);
  assert.equal(at(null, "data", 0), null);
  assert.equal(at(0, "compile", 60_000), null);
  assert.equal(at(0.05, "compile", 61_000), null, "the pace of steps is unknown");
  assert.equal(at(0.01, "warmup", 61_000), null, "too early to tell");
  assert.equal(at(0.25, "measure", 70_000), 30_000);
  assert.equal(at(1, "profile", 100_000), null);
});
