import { deepEqual, equal, ok } from "node:assert/strict";
import { MEMORY_CLASSES, usedBytes } from "../../runtime/analysis/memory_points.ts";
import { runExperiment } from "../../runtime/experiment/run_experiment.ts";
import { resultSchema } from "../../runtime/result/schema.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import type { Timeline } from "../../runtime/record/timeline.ts";
import { batchNorm, conv2d, crossEntropy, flatten, linear, range, relu, sequential } from "../../mod.ts";
import { layer, scenario, sgd, syntheticImages } from "../../mod.ts";
import { validateTrace } from "../support/trace_validator.ts";
import { renderTrace } from "../../runtime/report/trace/trace.ts";

const stem = sequential({ conv1: conv2d(5, { kernel: 3, padding: 1 }), bn1: batchNorm(), relu1: relu() });
const net = scenario({
  name: "profiled",
  model: sequential({ stem: layer((x) => range("stem", () => stem(x))), flat: flatten(), fc: linear(4) }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05, momentum: 0.9, weightDecay: 1e-3 }),
  data: syntheticImages({ height: 9, width: 7, classes: 4, length: 64 }),
  loader: { batchSize: 8 },
  measure: { steps: 3, skip: 1, maxSkip: 1, rounds: 2, opRounds: 1 },
  variants: { plain: { optimizer: { weightDecay: 0 } }, sink: { sink: 3 }, amp: { amp: "O2" } },
});

async function run(profile: boolean) {
  const timelines: Timeline[] = [];
  const result = await runExperiment(resolveScenario(net), {
    interrupted: () => false,
    script: { file: null, sha256: null },
    profile: profile ? { skipFirst: 1, wait: 1, warmup: 1, active: 2, repeat: 2 } : null,
    onEvent: (event) => event.type === "timeline" && timelines.push(event.timeline),
  });
  return { result: resultSchema.parse(result), timelines };
}

type Run = Awaited<ReturnType<typeof run>>;
let profiled: Run;
let unprofiled: Run;
Deno.test.beforeAll(async () => {
  profiled = await run(true);
  unprofiled = await run(false);
});

Deno.test("profiling changes no loss, and an unprofiled run has no profile", () => {
  const { result, timelines } = unprofiled;
  deepEqual(profiled.result.variants.map(({ losses }) => losses), result.variants.map(({ losses }) => losses));
  equal(timelines.length, 0);
  deepEqual(result.variants.map(({ profile, ops }) => [profile, ops.length]), [[null, 0], [null, 0], [null, 0]]);
});

Deno.test("every op is timed in each profiled step, and the time of a phase follows from its ops and the residual", () => {
  for (const { name, status, profile, ops } of profiled.result.variants) {
    deepEqual([status, profile!.steps, profile!.firstStep], ["ok", 4, 3]);
    for (const op of ops) {
      equal(op.calls, 4, op.id);
      ok(op.mean! > 0 && op.min! <= op.mean! && op.mean! <= op.max!, op.id);
    }
    deepEqual(profile!.phases.map(({ phase }) => phase), ["forward", "backward", "update"]);
    for (const { phase, interval, ops: timed, residual } of profile!.phases) {
      const sum = (end: "min" | "max") =>
        ops.filter((op) => op.phase === phase).reduce((total, op) => total + op[end]!, 0);
      const [least, most] = [sum("min") - 1e-9, sum("max") + 1e-9];
      ok(least <= timed && timed <= most, `${name} ${phase}: ${timed}, ops ${least} to ${most}`);
      ok(Math.abs(timed + residual - interval) < 1e-9 && residual >= 0);
    }
  }
});

Deno.test("every dispatch is timed in each profiled step, and an op is the sum of its dispatches", () => {
  for (const { name, ops } of profiled.result.variants) {
    ok(ops.some(({ dispatches }) => dispatches > 1), name);
    for (const { id, dispatches, kernels, total } of ops) {
      equal(kernels.length, dispatches, id);
      ok(kernels.every((kernel) => kernel.calls === 4 && kernel.min! > 0 && kernel.max! >= kernel.median!), id);
      const sum = kernels.reduce((sum, kernel) => sum + kernel.total!, 0);
      ok(Math.abs(sum - total!) <= 1e-9 * total!, `${id}: ${sum} and ${total}`);
    }
  }
  for (const { spans } of profiled.timelines) {
    const on = (track: string) => spans.filter((span) => span.track === track);
    ok(on("device kernels").length > 0);
    deepEqual(
      on("device ops").map(({ start, end }) => [start, end]),
      on("device kernels").map(({ start, end }) => [start, end]),
    );
  }
});

Deno.test("weight decay is timed alone in each profiled step, apart from the ops, where there is some", () => {
  const [plain, ...decaying] = profiled.result.variants;
  equal(plain!.profile!.weightDecay, null);
  for (const { name, profile, ops } of decaying) {
    const { calls, median } = profile!.weightDecay!;
    ok(calls === 4 && median! > 0, name);
    ok(ops.every(({ type }) => type !== "weight_decay"));
    ok(Math.abs(ops.reduce((sum, { share }) => sum + share!, 0) - 1) < 1e-9);
  }
  const phases = profiled.timelines.map(({ spans }) =>
    spans.filter(({ track, name }) => track === "device phases" && name === "weight decay").length
  );
  deepEqual(phases, [0, 4, 4], "marked in the trace");
});

Deno.test("a profile covers memory, ranges, host work and transfers", () => {
  for (const { profile: nullable, memory } of profiled.result.variants) {
    const profile = nullable!;
    const peak = Math.max(...profile.memory.map((point) => point.activations));
    ok(peak > 0 && peak <= memory!.activations);
    ok(profile.memory.every((point) => usedBytes(point) <= memory!.peak));
    ok(profile.memory.every(({ workspace }) => workspace > 0), "the loss ring is allocated throughout");
    const stemRange = profile.ranges.find(({ path, track }) => path === "stem" && track === "device")!;
    ok(stemRange.total > 0 && stemRange.entries === 4 && stemRange.calls > stemRange.entries);
    const phases = profile.ranges.filter(({ path }) => path === "stem").map(({ phase }) => phase);
    deepEqual(phases, ["forward", "backward"]);
    ok(profile.host.some(({ name, calls }) => name === "wait" && calls > 0));
    equal(profile.transfers.hostToDevice.count, 2 * 6, "input and target of 6 measured steps");
  }
});

Deno.test("a convolution's FLOPs and type follow from its variant's shapes and precision", () => {
  const [plain, , amp] = profiled.result.variants.map(({ ops }) => ops.find(({ id }) => id === "stem.conv1")!);
  equal(plain!.flops, 2 * 8 * 9 * 7 * 5 * 3 * 9);
  equal(amp!.dtype, "f16");
});

Deno.test("each variant has a timeline with copies and memory counters, and the trace is valid", () => {
  const { timelines } = profiled;
  deepEqual(timelines.map(({ variant }) => variant), ["plain", "sink", "amp"]);
  for (const { variant, spans, counters } of timelines) {
    const copies = new Set(spans.filter(({ track }) => track === "copies").map(({ name }) => name));
    deepEqual(copies, new Set(["batch to device", "losses to host", "timestamps to host (profiler)"]));
    deepEqual(
      [...new Set(counters.map(({ counter }) => counter))].filter((name) => !name.startsWith("core ")).sort(),
      [...variant === "sink" ? ["device queue"] : [], ...MEMORY_CLASSES.map((name) => `memory: ${name}`)]
        .sort(),
    );
  }
  deepEqual(validateTrace(renderTrace(timelines)), []);
});
