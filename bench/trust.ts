/**
 * Checks the accuracy of the device's measurements: ops and the gaps between them should add up to phases, phases and
 * gaps to steps, and twice the work should take twice the time.
 *
 *     deno task bench:trust
 *     deno task bench:trust --record   # also writes the result to bench/results/
 */
import lenet from "../scripts/lenet.ts";
import mlp from "../scripts/mlp.ts";
import standin from "../scripts/standin.ts";
import { compileVariant, loaderLayout } from "../runtime/compile/variant.ts";
import { describeDataset } from "../runtime/data/describe.ts";
import { createLoader } from "../runtime/data/loader/create_loader.ts";
import { bind } from "../runtime/device/bind.ts";
import { Device } from "../runtime/device/device.ts";
import { defineKernel } from "../runtime/device/kernel.ts";
import { TimestampRecorder } from "../runtime/device/timestamps.ts";
import { SlotPool } from "../runtime/engine/slot_pool.ts";
import { Stopwatch } from "../runtime/engine/stopwatch.ts";
import { phaseSplits } from "../runtime/analysis/profiled_ops.ts";
import { cleanPasses } from "../runtime/record/device_samples.ts";
import { Recorder } from "../runtime/record/recorder.ts";
import type { Scenario } from "../runtime/scenario/definition.ts";
import { resolveScenario } from "../runtime/scenario/resolve.ts";
import { runProfile } from "../runtime/trainer/profile_run.ts";
import type { ProfilingCost } from "../runtime/trainer/profiling_cost.ts";
import { Session } from "../runtime/trainer/session.ts";
import { type RecordCase, recorder } from "./record/recorder.ts";

const STEPS = 10;
const toMs = (ticks: bigint) => Number(ticks) / 1e6;
const percent = (part: number) => `${(part * 100).toFixed(2)} %`;
const costOf = (cost: ProfilingCost, kind: "phases" | "ops") =>
  `${cost[kind].value.toFixed(3)} ±${cost[kind].uncertainty.toFixed(3)} ms`;

async function examine(name: string, scenario: Scenario, device: Device, record: RecordCase): Promise<void> {
  const { config } = resolveScenario(scenario).variants[0]!;
  const dataset = describeDataset(config.data);
  const compiled = compileVariant(config, dataset, device.traits);
  const slots = new SlotPool(device);
  slots.reserve(compiled.plan.slots);
  const session = await Session.create(device, slots, compiled, { seed: 1, label: name });
  await using loader = await createLoader(config.data, {
    ...config.loader,
    seed: 1,
    split: "train",
    layout: loaderLayout(dataset, config),
  });
  const { feed, timestamps } = session.feed(loader, {
    monitor: "block",
    timestamps: true,
    recorder: null,
    shouldStop: () => false,
  });
  if (timestamps === null) throw new Error("This adapter has no timestamps");
  await feed.run(3);
  await timestamps.read();
  await feed.run(STEPS);
  const { passes } = cleanPasses(await timestamps.read(), 0n);
  const phases = session.executor.phases.length;
  let [accounted, whole] = [0, 0];
  for (let i = 0; i + 1 < STEPS; i++) {
    const step = passes.slice(i * phases, (i + 1) * phases);
    const next = passes[(i + 1) * phases]!;
    accounted += step.reduce((sum, pass) => sum + toMs(pass!.end - pass!.begin), 0);
    accounted += toMs(next.begin - step.at(-1)!.end);
    whole += toMs(next.begin - step[0]!.begin);
  }
  const run = await runProfile({
    session,
    device,
    loader,
    request: { skipFirst: 0, wait: 0, warmup: 1, active: STEPS, repeat: 1 },
    recorder: new Recorder(),
    shouldStop: () => false,
  });
  const { ops, dispatches } = session.executor;
  const splits = phaseSplits(run.steps.statistics.phases, ops, toMs);
  console.log(
    `${name.padEnd(10)} ops ${String(ops.length).padStart(4)}, dispatches ${String(dispatches.length).padStart(4)}   ` +
      splits.map((split) =>
        `${split.phase} ${split.interval.toFixed(2)} ms, residual ` +
        percent(split.residual / split.interval)
      ).join("   "),
  );
  console.log(
    `${"".padEnd(10)} phases + gap ${percent(accounted / whole)} of the step on the device   cost of timestamps: ` +
      `phases ${costOf(run.cost!, "phases")}, ops ${costOf(run.cost!, "ops")}   steps done ${session.state.steps}`,
  );
  record(name, {
    ops_count: ops.length,
    dispatches_count: dispatches.length,
    ...Object.fromEntries(splits.flatMap(({ phase, interval, residual }) => {
      const prefix = phase.replaceAll(" ", "_");
      return [[`${prefix}_ms`, interval], [`${prefix}_residual_percent`, 100 * residual / interval]];
    })),
    phases_and_gap_of_step_percent: 100 * accounted / whole,
  });
  session.free();
  slots.free();
}

/**
 * Returns the minimum device times, in ms, of kernels with different multiply-adds per invocation, which take turns.
 */
async function timesOf(device: Device, amounts: readonly number[]): Promise<number[]> {
  const lanes = 65536;
  const out = device.buffer("out", lanes * 4, GPUBufferUsage.STORAGE);
  const kernels = [];
  for (const rounds of amounts) {
    const kernel = defineKernel({
      name: `busy ${rounds}`,
      buffers: { out: { ref: { output: 0 }, type: "f32" } },
      uniforms: { rounds },
      workgroupSize: [64],
      grid: [lanes / 64],
      body: `
  var x = f32(gid.x) * 1e-6;
  for (var i = 0u; i < u.rounds; i++) { x = x * 0.999 + 0.5; }
  out[gid.x] = x;`,
    });
    kernels.push(await bind(device, [{ kernel, buffers: [{ buffer: out }] }]));
  }
  const stopwatch = new Stopwatch(device);
  for (let i = 0; i < 20; i++) {
    for (const kernel of kernels) stopwatch.run(kernel);
  }
  const times = (await stopwatch.read()).map((time) => time ?? Infinity);
  stopwatch.free();
  return amounts.map((_, k) => Math.min(...times.filter((_, i) => i % amounts.length === k)));
}

/**
 * Returns the cost of recording, measured alone, since steps of whole networks vary by more than this: the minimum time
 * of a submission with three empty passes, with and without timestamps, and of the spans and the counter on the host.
 */
async function recordingCost(device: Device): Promise<{ timestamps: number; spans: number }> {
  const timestamps = new TimestampRecorder(device);
  const submit = (timed: boolean) => {
    const encoder = device.gpu.createCommandEncoder();
    for (let phase = 0; phase < 3; phase++) {
      encoder.beginComputePass(timed ? { timestampWrites: timestamps.next() } : {}).end();
    }
    timestamps.endSubmit(encoder);
    const start = performance.now();
    device.submit(encoder);
    device.wait();
    return performance.now() - start;
  };
  const least = [Infinity, Infinity];
  for (let i = 0; i < 1000; i++) {
    least[0] = Math.min(least[0]!, submit(false));
    least[1] = Math.min(least[1]!, submit(true));
    if (i % 100 === 0) await timestamps.read();
  }
  await timestamps.read();
  timestamps.free();
  const recorder = new Recorder();
  let spans = Infinity;
  for (let i = 0; i < 1000; i++) {
    const start = performance.now();
    for (let repeat = 0; repeat < 100; repeat++) {
      for (const name of ["load dataset", "let data", "encode", "submit", "wait", "yield"]) {
        recorder.span("main", name, start, start + 1);
      }
      recorder.counter("host queue", repeat, start);
    }
    spans = Math.min(spans, (performance.now() - start) / 100);
  }
  return { timestamps: least[1]! - least[0]!, spans };
}

if (import.meta.main) {
  const { record } = await recorder("trust");
  const device = await Device.open();
  console.log(device.info.name);
  const { timestamps, spans } = await recordingCost(device);
  console.log(
    `recording adds to a step: timestamps of three phases ${(timestamps * 1000).toFixed(1)} us, the host's spans ` +
      `${(spans * 1000).toFixed(1)} us`,
  );
  record("recording a step", { timestamps_us: timestamps * 1000, host_spans_us: spans * 1000 });
  await examine("ResNet-20", standin, device, record);
  await examine("LeNet", lenet, device, record);
  await examine("MLP", mlp, device, record);
  const amounts = [4000, 8000, 16000];
  const times = await timesOf(device, amounts);
  times.forEach((time, i) => {
    const ratio = i === 0 ? "" : `   ${(time / times[i - 1]!).toFixed(3)} times the one above`;
    console.log(`${amounts[i]} multiply-adds a lane: ${time.toFixed(3)} ms${ratio}`);
  });
  record("twice the work", { first_ratio: times[1]! / times[0]!, second_ratio: times[2]! / times[1]! });
  device.destroy();
}
