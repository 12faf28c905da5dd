import { deepEqual, equal, ok } from "node:assert/strict";
import { MEMORY_CLASSES, usedBytes } from "../../runtime/analysis/memory_peak.ts";
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
  optimizer: sgd({ learningRate: 0.05, momentum: 0.9 }),
  data: syntheticImages({ height: 9, width: 7, classes: 4, length: 64 }),
  loader: { batchSize: 8 },
  measure: { steps: 3, skip: 1, maxSkip: 1, rounds: 2 },
  variants: { plain: {}, sink: { sink: 3 }, amp: { amp: "O2" } },
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

Deno.test("profiled steps show every op and change neither losses nor the matrix", async () => {
  const { result, timelines } = await run(true);
  const { result: without, timelines: none } = await run(false);
  deepEqual(result.variants.map(({ losses }) => losses), without.variants.map(({ losses }) => losses));
  equal(none.length, 0);
  deepEqual(without.variants.map(({ profile, ops }) => [profile, ops.length]), [[null, 0], [null, 0], [null, 0]]);
  for (const variant of result.variants) {
    equal(variant.status, "ok");
    const profile = variant.profile!;
    equal(profile.steps, 4);
    equal(profile.firstStep, 3);
    for (const op of variant.ops) {
      equal(op.calls, 4, op.id);
      ok(op.mean! > 0 && op.min! <= op.mean! && op.mean! <= op.max!, op.id);
    }
    deepEqual(profile.phases.map(({ phase }) => phase), ["forward", "backward", "update"]);
    for (const { phase, interval, ops, residual } of profile.phases) {
      const total = variant.ops.filter((op) => op.phase === phase).reduce((sum, op) => sum + op.mean!, 0);
      ok(Math.abs(total - ops) < 1e-6 * ops, `${variant.name} ${phase}: ${total} and ${ops}`);
      ok(Math.abs(ops + residual - interval) < 1e-9 && residual >= 0);
    }
    const peak = Math.max(...profile.memory.map((point) => point.activations));
    ok(peak > 0 && peak <= variant.memory!.activations);
    ok(profile.memory.every((point) => usedBytes(point) <= variant.memory!.peak));
    ok(profile.memory.every(({ workspace }) => workspace > 0), "the ring of losses is there all the time");
    const stemRange = profile.ranges.find(({ path, track }) => path === "stem" && track === "device")!;
    ok(stemRange.total > 0);
    ok(profile.host.some(({ name, calls }) => name === "wait" && calls > 0));
    equal(profile.transfers.hostToDevice.count, 2 * 6, "input and target of 6 measured steps");
  }
  const conv = result.variants[0]!.ops.find(({ id }) => id === "stem.conv1")!;
  equal(conv.flops, 2 * 8 * 9 * 7 * 5 * 3 * 9);
  const amp = result.variants[2]!.ops.find(({ id }) => id === "stem.conv1")!;
  equal(amp.dtype, "f16");
  deepEqual(timelines.map(({ variant }) => variant), ["plain", "sink", "amp"]);
  for (const { variant, spans, counters } of timelines) {
    const copies = new Set(spans.filter(({ track }) => track === "copies").map(({ name }) => name));
    deepEqual(copies, new Set(["host to device (host time)", "device to host (host time)"]));
    deepEqual(
      [...new Set(counters.map(({ counter }) => counter))].sort(),
      [...variant === "sink" ? ["device queue"] : [], ...MEMORY_CLASSES.map((name) => `memory: ${name}`)]
        .sort(),
    );
  }
  deepEqual(validateTrace(renderTrace(timelines)), []);
});
