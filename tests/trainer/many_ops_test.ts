/** Profiles of steps with more ops than a query set holds. */
import assert from "node:assert/strict";
import { opRecords, phaseSplits, type RunDispatch } from "../../runtime/analysis/profiled_ops.ts";
import { buildTimeline } from "../../runtime/analysis/timeline.ts";
import { compileTraining } from "../../runtime/compile/compile.ts";
import type { PlannedNode } from "../../runtime/compile/plan.ts";
import { TimestampRecorder } from "../../runtime/device/timestamps.ts";
import { runExperiment } from "../../runtime/experiment/run_experiment.ts";
import { OpStatistics } from "../../runtime/record/op_statistics.ts";
import type { Timeline } from "../../runtime/record/timeline.ts";
import { renderTrace } from "../../runtime/report/trace/trace.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { flatten, layer, linear, relu, scenario, sequential, syntheticImages } from "../../mod.ts";
import { optionsOf } from "../compile/programs.ts";
import { validateTrace } from "../support/trace_validator.ts";
import { recordedFacts } from "../support/op_facts.ts";
import { fullTest } from "../support/full.ts";

function deep(length: number) {
  return layer((x) => {
    for (let i = 0; i < length; i++) x = relu()(x);
    return x;
  });
}

/** A forward pass of `length` tiny ops. */
function chain(length: number) {
  return scenario({
    name: "chain",
    model: sequential({
      chain: deep(length),
      flat: flatten(),
    }),
    data: syntheticImages({ height: 2, width: 2, classes: 2, length: 8 }),
    loader: { batchSize: 2 },
    compile: { fusion: false },
    measure: { steps: 1, skip: 1, maxSkip: 1, rounds: 1, opRounds: 1 },
    variants: { one: {} },
  });
}

Deno.test("ops that need several query sets are all timed, in order and without gaps", async () => {
  const ops = TimestampRecorder.passesPerSubmit + 300;
  const timelines: Timeline[] = [];
  const result = await runExperiment(resolveScenario(chain(ops - 1)), {
    interrupted: () => false,
    script: { file: null, sha256: null },
    profile: { skipFirst: 0, wait: 0, warmup: 0, active: 2, repeat: 1 },
    onEvent: (event) => event.type === "timeline" && timelines.push(event.timeline),
  });
  const [variant] = result.variants;
  assert.equal(variant!.status, "ok");
  assert.equal(variant!.ops.length, ops);
  assert(variant!.ops.every(({ calls, mean }) => calls === 2 && mean! > 0));
  assert.deepEqual(variant!.profile!.trust.defects.missing + variant!.profile!.trust.defects.stale, 0);
  const [{ spans, flows }] = timelines as [Timeline];
  const shown = spans.filter(({ track }) => track === "device ops");
  assert.equal(shown.length, 2 * ops);
  assert(shown.every((span, i) => i === 0 || span.start >= shown[i - 1]!.start), "in the order of the step");
  assert.equal(flows.length, 4, "an arrow from each of the two submits of a step");
  assert.deepEqual(validateTrace(renderTrace(timelines)), []);
});

fullTest("a model 6,000 layers deep is compiled for training: 12,000 ops", () => {
  const model = sequential({ flat: flatten(), fc: linear(2), chain: deep(6000) });
  const { nodes } = compileTraining(optionsOf(model, [2, 3, 2, 2], { fusion: false }));
  assert(nodes.length > 12_000, String(nodes.length));
});

Deno.test("12,000 ops of ten steps are summed correctly in bounded memory", () => {
  const count = 12_000;
  const steps = 10;
  const nodes = Array.from({ length: count }, (_, i): PlannedNode => ({
    id: `block${i >> 4}.op${i}`,
    layer: `block${i >> 4}`,
    type: "relu",
    ...recordedFacts("relu"),
    phase: i < 4000 ? "forward" : "backward",
    kernel: "relu.f32.x4",
    members: [],
    inputs: [],
    outputs: [],
    flops: 6,
    bytes: 48,
    live: { activations: 0, workspace: 0 },
    inPlace: false,
    range: null,
  }));
  const ops = nodes.map(({ id, phase }) => ({ nodeId: id, phase }));
  const dispatches = ops.map((_, op): RunDispatch => ({ op, kernel: "relu", batch: null }));
  let now = 1_000n;
  // Op i takes 100 (1 + i mod 7) ns, with gaps of 10 ns
  const raw = Array.from({ length: steps }, () =>
    ops.map((_, i) => {
      const begin = now + 10n;
      now = begin + 100n * BigInt(1 + i % 7);
      return { begin, end: now };
    }));
  const before = Deno.memoryUsage().heapUsed;
  const statistics = new OpStatistics(ops.map(({ phase }) => phase));
  const clean = raw.map((passes) => statistics.add(passes));
  const toMs = (ticks: bigint) => Number(ticks) / 1e6;
  const records = opRecords({ ops, dispatches }, { nodes, accumulate: 1 }, statistics, new Map(), toMs);
  assert.deepEqual(Object.values(statistics.defects).filter((n) => n > 0), []);
  assert(records.every(({ calls, mean }, i) => calls === steps && Math.abs(mean! - (1 + i % 7) * 1e-4) < 1e-12));
  for (const { interval, ops: inOps, residual, phase } of phaseSplits(statistics.phases, ops, toMs)) {
    assert(Math.abs(inOps + residual - interval) < 1e-9);
    assert(Math.abs(residual - (phase === "forward" ? 3999 : 7999) * 1e-5) < 1e-9, `${phase} ${residual}`);
  }
  const timeline = buildTimeline(
    "one",
    { ops, dispatches },
    nodes,
    clean.map((passes, index) => ({ index, passes, submits: [{ firstPass: 0, time: 0 }] })),
    [],
    { spans: [], counters: [], flows: [] },
    toMs,
  );
  assert.equal(timeline.spans.filter(({ track }) => track === "device ops").length, steps * count);
  assert.equal(timeline.spans.filter(({ track }) => track === "device phases").length, 2 * steps);
  const grown = (Deno.memoryUsage().heapUsed - before) / (steps * count);
  assert(grown < 2000, `${grown.toFixed(0)} bytes for an op of a step`);
});
