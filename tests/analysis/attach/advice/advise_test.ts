import type { AttachResult } from "../../../../runtime/result/attach_result.ts";
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { renderAttachedHtml } from "../../../../runtime/report/attach/html.ts";
import { renderAttached, renderAttachedMarkdown } from "../../../../runtime/report/attach/text.ts";
import { adviceOf, plantedDevice, type PlantedProgram, type PlantedStep } from "./planted_steps.ts";

/** A step with small uploads, a wait, and buffers. */
const step: PlantedStep = {
  counts: {
    ...{ uploads: 100, uploadBytes: 25_600, uploadMs: 20, waits: 2, reads: 2, readBytes: 8, waitMs: 50, sleepMs: 5 },
    ...{ buffers: 30, createMs: 3 },
  },
  host: [["upload", 0, 20], ["submit", 20, 25], ["wait", 25, 75], ["sleep", 75, 80]],
  passes: [[25, 70]],
};

const resultOf = (planted: PlantedStep, program: PlantedProgram = {}): AttachResult => ({
  ...{ kind: "attach", schemaVersion: 1, complete: true, browser: null, notes: [] },
  devices: [plantedDevice(planted, program)],
});

Deno.test("advice is sorted by what it saves, and stands in every report", () => {
  const result = resultOf(step);
  const { advice } = result.devices[0]!;
  deepStrictEqual(advice.map(({ kind, mostMs }) => [kind, mostMs]), [["waits", 55], ["uploads", 20], [
    "created-objects",
    3,
  ]]);
  const text = renderAttached(result, { columns: 100, color: false }, 5);
  match(text, /Advice: the most that each change can save per step[^]*55\.0 +55 +2 waits and 2 mapped reads per step/);
  match(text, /100 uploads per step[^]*write the small values[^]*savings overlap/);
  match(
    renderAttachedMarkdown(result, "x"),
    /\| 55\.0 \| 55 \| 2 waits and 2 mapped reads per step \| copy all results/,
  );
  match(
    renderAttachedHtml(result, "x"),
    /<h3 id="advice">Advice: [^]*2 waits and 2 mapped reads per step[^]*in calls that wait/,
  );
});

Deno.test("a busy device, and a program without steps, get no advice", () => {
  const busy = resultOf({ ...step, passes: [[0, 100]] });
  const without = resultOf(step, { by: "end" });
  deepStrictEqual([busy, without].map(({ devices }) => devices[0]!.advice), [[], []]);
  ok(!renderAttached(busy, { columns: 100, color: false }, 5).includes("Advice"));
});

const counts = { buffers: 50, bufferBytes: 50 * 1024, buffersDestroyed: 40, bindGroups: 200, createMs: 8 };

Deno.test("objects that steps create cost the time in the calls", () => {
  const advice = adviceOf("created-objects", { counts, passes: [[50, 80]] })!;
  strictEqual(advice.mostMs, 8);
  strictEqual(advice.message, "50 buffers, 0 textures and 200 bind groups created per step");
  deepStrictEqual(advice.evidence.slice(0, 2).map(({ value }) => value), ["50 KiB", "40"]);
});

Deno.test("steps that create a few objects, or none, get no advice", () => {
  strictEqual(adviceOf("created-objects", { counts: { ...counts, createMs: 1 } }), null);
  strictEqual(adviceOf("created-objects", { counts: { createMs: 8 } }), null);
});

const compiling = (...pipelines: string[]): PlantedStep => ({
  counts: { compileMs: 8, modules: 1 },
  host: [["compile", 0, 8]],
  passes: [[50, 80]],
  pipelines,
});

Deno.test("a pipeline made in every step costs its compilation, although no step is free of it", () => {
  const advice = adviceOf("pipelines", compiling("same"))!;
  strictEqual(advice.mostMs, 8);
  strictEqual(advice.message, "1 pipeline and 1 shader module created per step");
  strictEqual(advice.evidence[0]!.label, "pipelines created in 6 steps");
  strictEqual(advice.evidence[0]!.value, "same (6)");
});

Deno.test("pipelines made after the warm-up cost their mean over the steps", () => {
  const late = (i: number) => i === 3 ? compiling("late") : { passes: [[50, 80]] } as PlantedStep;
  const advice = adviceOf("pipelines", late, { steps: 5 })!;
  strictEqual(advice.mostMs, 2); // 8 ms in one of four steps
  strictEqual(advice.evidence[0]!.value, "late (1)");
});

Deno.test("asynchronous pipelines cost the time in which the device waits for them", () => {
  const waits = (i: number): PlantedStep =>
    i === 1 ? { passes: [[50, 80]] } : { ...compiling("late"), counts: {}, host: [["compiling", 0, 20]] };
  const advice = adviceOf("pipelines", waits, { steps: 3 })!;
  strictEqual(advice.mostMs, 10);
});

Deno.test("a warm-up that compiles other pipelines in each step gets no advice", () => {
  strictEqual(adviceOf("pipelines", (i) => compiling(`kernel ${i}`)), null);
  strictEqual(adviceOf("pipelines", (i) => i === 0 ? compiling("first") : { passes: [[50, 80]] }), null);
});

/** A submit with kernels of a length, and a gap before each. */
const kernels = (length: number, gap: number): PlantedStep => ({
  host: [["submit", 0, 10]],
  passes: Array.from({ length: 20 }, (_, i) => {
    const begin = 10 + i * (length + gap) + gap;
    return [begin, begin + length];
  }),
});

Deno.test("kernels shorter than the gaps before them cost the gaps", () => {
  const advice = adviceOf("short-kernels", kernels(1, 3))!;
  ok(Math.abs(advice.mostMs - 60) < 1e-9);
  strictEqual(advice.message, "20 of 20 dispatches per step are shorter than a launch");
  strictEqual(advice.evidence[1]!.value, "k (20 of 1,000 us)");
});

Deno.test("longer kernels, and those that the clock cannot tell from gaps, get no advice", () => {
  strictEqual(adviceOf("short-kernels", kernels(3, 1)), null);
  strictEqual(adviceOf("short-kernels", kernels(1, 3), { resolution: 4e6 }), null);
  strictEqual(adviceOf("short-kernels", kernels(1, 3), { timestamps: "none" }), null);
});

/** Two dispatches of 10 ms: 5 GB/s of bound buffers. */
const tanh: PlantedStep = { passes: [[10, 20], [30, 40]] };
const slow: PlantedProgram = { does: "map tanh", bytes: 50e6, copyGBs: 100 };

Deno.test("an elementwise kernel far below the copy bandwidth costs the time beyond that of a copy", () => {
  const advice = adviceOf("slow-kernels", tanh, slow)!;
  ok(Math.abs(advice.mostMs - 19) < 1e-9, `${advice.mostMs}`); // of 20 ms, since 100 MB take 1 ms
  strictEqual(advice.message, "1 elementwise kernel below 25 % of the copy bandwidth");
  strictEqual(advice.evidence[0]!.value, "k (5.00 GB/s, 20.0 ms)");
});

Deno.test("kernels that are fast, small, or limited by something else get no advice", () => {
  const programs: Partial<PlantedProgram>[] = [
    { copyGBs: 20 },
    { bytes: 1000 },
    { does: "multiply-add loop, shared memory" },
    { does: "map exp, shared memory" },
    { does: "map dot" },
    { timestamps: "none" },
  ];
  for (const program of programs) {
    strictEqual(adviceOf("slow-kernels", tanh, { ...slow, ...program }), null, JSON.stringify(program));
  }
});

Deno.test("an adapter whose bandwidth was not measured gets no advice", () => {
  strictEqual(adviceOf("slow-kernels", tanh, { does: "map tanh", bytes: 50e6 }), null);
});

const many: PlantedStep = {
  counts: { submits: 10, encoders: 20, dispatches: 30, submitMs: 20 },
  host: [["submit", 0, 20]],
  passes: [[20, 50]],
};

Deno.test("submits cost the time of all but one", () => {
  const advice = adviceOf("submits", many, { timestamps: "none" })!;
  strictEqual(advice.mostMs, 18);
  strictEqual(advice.message, "10 submits and 20 encoders per step, 3 dispatches per submit");
});

Deno.test("the device's idle time limits what fewer submits save", () => {
  const timed = { ...many, counts: { ...many.counts, dispatches: 1 } };
  strictEqual(adviceOf("submits", timed)?.mostMs, 18);
  strictEqual(adviceOf("submits", { ...timed, passes: [[0, 95]] })?.mostMs, 5);
});

Deno.test("one submit per step is what it takes", () => {
  strictEqual(adviceOf("submits", { ...many, counts: { ...many.counts, submits: 1 } }, { timestamps: "none" }), null);
});

const small: PlantedStep = {
  counts: { uploads: 1234, uploadBytes: 1234 * 256, uploadMs: 30, dispatches: 1, timedDispatches: 1 },
  host: [["upload", 0, 30]],
  passes: [[30, 80]],
};

Deno.test("many small uploads cost the time in their calls", () => {
  const advice = adviceOf("uploads", small)!;
  strictEqual(advice.mostMs, 30);
  strictEqual(advice.message, "1,234 uploads per step, 1,234 per dispatch, 256 B each");
  match(advice.fix, /^write the small values of a step into one buffer/);
});

Deno.test("large uploads by mapping cost the time in which they keep the device idle", () => {
  const counts = { mappedUploads: 1, mappedUploadBytes: 3 * 2 ** 20 };
  const advice = adviceOf("uploads", { ...small, counts })!;
  strictEqual(advice.mostMs, 30);
  strictEqual(advice.message, "1 upload per step, 1 per dispatch, 3 MiB each");
  match(advice.fix, /^keep data on the device/);
});

Deno.test("uploads while the device is busy, and short ones, cost nothing", () => {
  strictEqual(adviceOf("uploads", { ...small, passes: [[0, 99]] }), null);
  strictEqual(adviceOf("uploads", { ...small, counts: { ...small.counts, uploadMs: 1.9 }, host: [] }), null);
});

Deno.test("without timestamps the time in the calls is the limit", () => {
  strictEqual(adviceOf("uploads", small, { timestamps: "none" })?.mostMs, 30);
});

/** Submits, waits while the device runs its kernel, sleeps, and computes something. */
const waiting: PlantedStep = {
  counts: { waits: 60, reads: 59, readBytes: 59 * 16, waitMs: 55, sleepMs: 15 },
  host: [["submit", 0, 5], ["wait", 5, 60], ["sleep", 60, 75]],
  passes: [[5, 40]],
};

Deno.test("waits cost their time and the sleep, as far as the device has no submitted work", () => {
  const advice = adviceOf("waits", waiting)!;
  deepStrictEqual([advice.mostMs, advice.share], [65, 0.65]); // of 70 ms of waits and sleep, 100 - 35 without work
  strictEqual(advice.message, "60 waits and 59 mapped reads per step");
  match(advice.fix, /map it once/);
  deepStrictEqual(advice.evidence[0], { label: "size of a mapped read", value: "16 B" });
});

Deno.test("the sleep after a single wait counts, and its fix is to read less often", () => {
  const counts = { waits: 1, reads: 0, waitMs: 1, sleepMs: 10 };
  const advice = adviceOf("waits", { counts, host: [["wait", 80, 81], ["sleep", 81, 91]], passes: [[0, 80]] })!;
  strictEqual(advice.mostMs, 11);
  match(advice.fix, /^read results only every few steps/);
});

Deno.test("waiting for a busy device costs nothing", () => {
  strictEqual(adviceOf("waits", { ...waiting, host: [["wait", 1, 99]], passes: [[0, 99]] }), null);
  strictEqual(adviceOf("waits", { ...waiting, counts: {} }), null);
});

Deno.test("without timestamps nobody knows whether the device was busy", () => {
  strictEqual(adviceOf("waits", waiting, { timestamps: "none" }), null);
});
