/** A residual network in Tacho: steps on a batch that stays on the device, submitted without waits between them. */
import { crossEntropy, resnet, scenario, sgd, tensors } from "../../mod.ts";
import { opRecords } from "../../runtime/analysis/profiled_ops.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { toPhysical } from "../../runtime/core/layout.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { sampleClock } from "../../runtime/device/clock.ts";
import { Device } from "../../runtime/device/device.ts";
import { TimestampRecorder } from "../../runtime/device/timestamps.ts";
import { measurePeaks } from "../../runtime/engine/peaks.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { type FeedContext, RESIDENT_BATCHES } from "../../runtime/trainer/feed/feed.ts";
import { UnattendedFeed } from "../../runtime/trainer/feed/unattended_feed.ts";
import { fitClock } from "../../runtime/record/clock_fit.ts";
import { cleanPasses } from "../../runtime/record/device_samples.ts";
import { OpStatistics } from "../../runtime/record/op_statistics.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { runDispatches } from "../../runtime/trainer/profiled_submits.ts";
import { Session } from "../../runtime/trainer/session.ts";
import { TuningWindow } from "../../runtime/engine/tuning/window.ts";
import { writeSafetensors, type WrittenTensor } from "../../runtime/data/safetensors/write.ts";
import { drawBatch, type TachoMeasuredNet, type TachoNetTask } from "./torch_net.ts";

const PROFILED_STEPS = 5;
/** Initial estimate of a step's time, high enough for one step per submission. */
const LONG_STEP = 1e6;

const task: TachoNetTask = JSON.parse(Deno.args[0]!);
const { batch, image, classes } = task;
const { input, target } = drawBatch(task);
const { config } = resolveScenario(scenario({
  name: "torch",
  model: resnet({ depth: task.depth, classes }),
  loss: crossEntropy(),
  optimizer: sgd({
    learningRate: task.learningRate,
    momentum: task.momentum,
    weightDecay: task.weightDecay,
  }),
  data: tensors({ input: { shape: [3, image, image], data: input }, target: { data: target } }),
  loader: { batchSize: batch },
  amp: task.precision === "amp" ? "O2" : "O0",
  compile: { autotune: task.autotune },
})).variants[0]!;

// Selects the fastest adapter, since PyTorch uses the CUDA device
const device = await Device.open({ match: "high-performance" });
const begun = performance.now();
const dataset = describeDataset(config.data);
const compiled = config.compile.autotune === null
  ? compileVariant(config, dataset, device.traits)
  : (await new TuningWindow(config, dataset, device, config.compile.autotune, {
    shouldStop: () => false,
    onProgress: () => {},
  }).finish()).compiled;
const slots = new SlotPool(device);
slots.reserve(compiled.plan.slots);
const session = await Session.create(device, slots, compiled, { seed: 1, label: "torch" });
const { state, executor } = session;
if (task.save) {
  await writeSafetensors(
    task.start,
    new Map<string, WrittenTensor>([
      ...await state.read("parameters"),
      ...await state.read("state"),
      ["input", { shape: [batch, 3, image, image], data: input }],
      ["target", { shape: [batch], data: target }],
    ]),
  );
} else {
  console.log(JSON.stringify(await measure()));
}
Deno.exit(0);

async function measure(): Promise<TachoMeasuredNet> {
  const { shape, layout } = compiled.plan.inputs["input"]!;
  session.upload({ input: toPhysical(input, shape, layout), target });
  session.runOnce();
  await state.outcomes(0, 1);
  device.check();
  const firstLoss = performance.now() - begun;
  const timestamps = device.timestamps ? new TimestampRecorder(device) : null;
  const context: FeedContext = {
    device,
    executor,
    state,
    source: RESIDENT_BATCHES,
    batch: session.stepBatches,
    batches: 1,
    hasLoss: true,
    timestamps,
    recorder: null,
    timing: null,
    exchange: null,
    shouldStop: () => false,
  };
  const before = await sampleClock(device);
  const warmUp = Math.max(1, task.skip - 1);
  const warm = await new UnattendedFeed(context, LONG_STEP).run(warmUp);
  await timestamps?.read();
  const { wall } = await new UnattendedFeed(context, warm.wall / warmUp).run(task.steps);
  const after = await sampleClock(device);
  const fit = fitClock([before, after].filter((sample) => sample !== null));
  const toMs = fit?.toMs ?? ((ticks: bigint) => Number(ticks) / 1e6);
  const passes = cleanPasses(await timestamps?.read() ?? [], 0n).passes.filter((pass) => pass !== null);
  const memory = device.bytes;
  const outcomes = await state.outcomes(0, 1 + warmUp + task.steps);
  return {
    parameters: compiled.parameterCount,
    step: wall / task.steps,
    device: passes.length === 0 ? null : toMs(passes.at(-1)!.end - passes[0]!.begin) / task.steps,
    firstLoss,
    memory,
    losses: outcomes.map(({ loss }) => loss),
    profile: task.profile && timestamps !== null ? await profile(timestamps, toMs) : null,
  };
}

/** Runs steps with a timed pass per dispatch; their training results are unused. */
async function profile(
  timestamps: TimestampRecorder,
  toMs: (ticks: bigint) => number,
): Promise<TachoMeasuredNet["profile"]> {
  const statistics = new OpStatistics(
    executor.dispatches.map(({ phase }) => phase),
    executor.dispatches.map(({ op }) => op),
  );
  for (let step = 0; step < PROFILED_STEPS; step++) {
    runDispatches(executor, device, timestamps, null);
    statistics.add(await timestamps.read());
  }
  device.check();
  const peaks = await measurePeaks(device); // measured now instead of cached, so that both have the same load
  const ops = opRecords(executor, compiled.plan, statistics, new Map(), toMs);
  return peaks === null ? null : { ops, peaks };
}
