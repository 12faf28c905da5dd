import assert from "node:assert/strict";
import { traceSteps } from "../../runtime/record/step_trace.ts";
import { type CompiledVariant, compileVariant, loaderLayout } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import { sampleClock } from "../../runtime/device/clock.ts";
import { Device } from "../../runtime/device/device.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { OpProfile } from "../../runtime/experiment/variant/profile.ts";
import { VariantRecord } from "../../runtime/experiment/variant/record.ts";
import { fitClock } from "../../runtime/record/clock_fit.ts";
import { PHASES, phasesNamed } from "../../runtime/record/phases.ts";
import { Recorder } from "../../runtime/record/recorder.ts";
import { DEFAULT_PROFILE } from "../../runtime/record/schedule.ts";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { renderProfileCsv } from "../../runtime/report/profile/csv.ts";
import { renderProfile } from "../../runtime/report/profile/profile.ts";
import { renderTrace } from "../../runtime/report/trace/trace.ts";
import { resultSchema } from "../../runtime/result/schema.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { Session } from "../../runtime/trainer/session.ts";
import { images } from "../trainer/feed/experiments.ts";
import { result, variant } from "../report/result_fixture.ts";

/** Moves the last op of the backward pass into its own phase. */
function withFurtherPhase(compiled: CompiledVariant): CompiledVariant {
  const { plan } = compiled;
  const backward = plan.segments.find(({ phase }) => phase === "backward")!.dispatches;
  const { nodeId } = backward.at(-1)!;
  return {
    ...compiled,
    plan: {
      ...plan,
      segments: plan.segments.flatMap((segment) =>
        segment.phase !== "backward" ? [segment] : [
          { ...segment, dispatches: backward.filter((dispatch) => dispatch.nodeId !== nodeId) },
          { phase: "reduce", dispatches: backward.filter((dispatch) => dispatch.nodeId === nodeId) },
        ]
      ),
      nodes: plan.nodes.map((node) => node.id === nodeId ? { ...node, phase: "reduce" } : node),
    },
  };
}

Deno.test("a fourth phase reaches the result, the CSV, the trace and the terminal", async () => {
  const { config } = resolveScenario(images()).variants[0]!;
  const dataset = describeDataset(config.data);
  const device = await Device.open();
  try {
    const compiled = withFurtherPhase(compileVariant(config, dataset, device.traits));
    const slots = new SlotPool(device);
    slots.reserve(compiled.plan.slots);
    const session = await Session.create(device, slots, compiled, { seed: 1, label: "phases" });
    assert.deepEqual(session.executor.phases, ["forward", "backward", "reduce", "update"]);
    const layout = loaderLayout(dataset, config);
    await using loader = await createLoader(config.data, { ...config.loader, seed: 1, split: "train", layout });
    const recorder = new Recorder();
    const options = { monitor: "block", timestamps: true, recorder, shouldStop: () => false } as const;
    const { feed, timestamps } = session.feed(loader, options);
    const record = new VariantRecord(config, dataset);
    const fed = await feed.run(2);
    record.addSteps(fed);
    const cleaned = record.clean(await timestamps!.read());
    const { phases } = session.executor;
    record.addBlock({ round: 1, setup: 0, position: 0 }, fed, cleaned, phases, loader, {}, new Map());
    const profile = new OpProfile("phases", session, device, { ...DEFAULT_PROFILE, active: 2 });
    await profile.setUp();
    await profile.run(loader, new Recorder(), { shouldStop: () => false, onStep: () => {} });
    const clock = fitClock([(await sampleClock(device))!]);
    const { timeline, ...profiled } = profile.result(clock, record.host);

    const measured = resultSchema.parse(result([
      variant("baseline", {
        blocks: record.blocks,
        metrics: record.metrics(record.blocks, { amortised: false, profilingCost: null }),
        ...profiled,
      }),
    ]));
    const { metrics, blocks, ops } = measured.variants[0]!;
    assert.equal(blocks[0]!.steps.every((step) => step.phases!["reduce"]! > 0 && step.backward! > 0), true);
    assert.equal(metrics.phases!["reduce"]!.value > 0, true);
    assert.equal(ops.filter(({ phase }) => phase === "reduce").length, 1);
    assert.deepEqual(profiled.profile.phases.map(({ phase }) => phase), ["forward", "backward", "reduce", "update"]);
    assert.match(renderMatrix(measured, { columns: 200, color: false }), /backward +update +reduce/);
    const lines = renderProfile(measured, {
      columns: 200,
      color: false,
      verbosity: 2,
      sort: "order",
      top: null,
      groupBy: ["phase"],
    });
    assert.match(lines, /Reduce Time : [\d.e-]+ sec/);
    assert.match(lines, /\nupdate .*\nreduce /, "in the step trace and in the ops by phase");
    assert.match(renderProfileCsv(measured), /\nreduce,,,[\d.e-]+,baseline,device,/);
    assert.equal(timeline.spans.some(({ track, name }) => track === "device phases" && name === "reduce"), true);
    assert.match(renderTrace([timeline]), /"name":"reduce"/);
    session.free();
    feed.free();
    slots.free();
  } finally {
    device.destroy();
  }
});

Deno.test("passes of one phase are summed, and an untimed pass leaves its phase unknown", () => {
  const pass = (begin: bigint, end: bigint) => ({ begin: begin * 1_000_000n, end: end * 1_000_000n });
  const phases = ["forward", "backward", "forward", "backward", "reduce"];
  const whole = [pass(10n, 12n), pass(12n, 16n), pass(16n, 19n), pass(20n, 25n), pass(25n, 26n)];
  const [first, second] = traceSteps([...whole, pass(30n, 31n), pass(31n, 32n), null, pass(34n, 35n), null], phases);
  assert.deepEqual(first, {
    forward: 5,
    backward: 9,
    update: null,
    phases: { reduce: 1 },
    iterationGap: null,
    points: { begin: 0, propagated: 15, end: 16 },
  });
  assert.equal(second!.points, undefined, "its end is unknown");
  assert.deepEqual(second, { forward: null, backward: 2, update: null, phases: { reduce: null }, iterationGap: 4 });
});

Deno.test("unknown phases come after the known ones", () => {
  const names = phasesNamed(["other", "update", "forward", "other"]).map(({ name }) => name);
  assert.deepEqual(names, ["forward", "update", "other"]);
  assert.equal(new Set(PHASES.map(({ name }) => name)).size, PHASES.length);
});
