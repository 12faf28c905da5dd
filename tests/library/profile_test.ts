import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import {
  createTrainer,
  crossEntropy,
  InputError,
  type LoopProfile,
  mlp,
  profile,
  type ProfileSchedule,
  range,
  resultSchema,
  scenario,
  sgd,
  syntheticImages,
} from "../../mod.ts";
import { adviseLoop } from "../../runtime/library/profile/loop_advice.ts";
import { requireAdapter } from "../../runtime/device/adapter.ts";
import { adapterPeaks } from "../../runtime/engine/peak_cache.ts";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import type { VariantResult } from "../../runtime/result/schema.ts";
import { partsOf } from "../../runtime/trainer/trainer.ts";
import { renderProfile } from "../../runtime/report/profile/profile.ts";
import { peaksOf } from "../support/peaks.ts";
import { validateTrace } from "../support/trace_validator.ts";

const small = scenario({
  name: "small",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05, momentum: 0.9, weightDecay: 1e-3 }),
  data: syntheticImages({ height: 4, width: 4, classes: 4, length: 64 }),
  loader: { batchSize: 8 },
});

/** Returns the indices of the recorded steps, by cycle. */
function indices({ result }: LoopProfile): number[][] {
  return result.variants[0]!.blocks.map(({ steps }) => steps.map(({ index }) => index));
}

/** Returns the steps that a schedule records of a loop of `count` steps, and those that it passes to `onTrace`. */
async function recorded(schedule: ProfileSchedule, count: number): Promise<{ all: number[][]; traces: number[][] }> {
  const traces: number[][] = [];
  const profiler = await profile({ ...schedule, onTrace: (trace) => void traces.push(...indices(trace)) }).start();
  for (let i = 0; i < count; i++) await profiler.step();
  return { all: indices(await profiler.stop()), traces };
}

Deno.test("a schedule records the steps that PyTorch's would", async () => {
  const cases: [ProfileSchedule, number, number[][]][] = [
    [{ wait: 1, warmup: 1, active: 2, repeat: 2 }, 12, [[2, 3], [6, 7]]],
    [{ skipFirst: 2, wait: 1, active: 1 }, 9, [[3], [5], [7]]],
    [{ active: 2 }, 5, [[0, 1], [2, 3], [4]]],
    [{ warmup: 2 }, 4, [[2, 3]]],
    [{}, 3, [[0, 1, 2]]],
    [{ wait: 5, active: 1 }, 3, []],
  ];
  for (const [schedule, count, expected] of cases) {
    assert.deepEqual(await recorded(schedule, count), { all: expected, traces: expected }, JSON.stringify(schedule));
  }
});

Deno.test("without steps, all between start and stop is one step", async () => {
  const profiler = await profile({ name: "region" }).start();
  range("work", () => {});
  const region = await profiler.stop();
  assert.deepEqual(indices(region), [[0]]);
  assert.deepEqual(region.result.variants[0]!.profile!.ranges.map(({ path, entries }) => [path, entries]), [[
    "work",
    1,
  ]]);
  assert.equal(await profiler.stop(), region);
});

Deno.test("a trainer's loop has the tables, the trace and the report of a scenario", async () => {
  await using trainer = await createTrainer(small);
  const peaks = peaksOf(1e9, 1e9);
  await adapterPeaks(trainer.device, { keep: false, measure: () => Promise.resolve(peaks) });
  const profiler = await profile({ trainer, name: "mine", peaks: true, wait: 3, warmup: 1, active: 3, repeat: 2 })
    .start();
  for (let i = 0; i < 14; i++) {
    await range("train", () => trainer.step());
    await profiler.step();
  }
  const mine = await profiler.stop();
  const result = resultSchema.parse(mine.result);
  const { ops, blocks, profile: profiled, metrics, losses } = result.variants[0]!;
  assert.deepEqual(indices(mine), [[4, 5, 6], [11, 12, 13]]);
  assert.deepEqual(new Set(ops.map(({ phase }) => phase)), new Set(["forward", "backward", "update"]));
  assert.ok(ops.every(({ calls, total }) => calls === 6 && total! > 0), "every op is timed in every step");
  assert.ok(profiled!.weightDecay!.calls === 6 && profiled!.cost.ops !== null);
  assert.deepEqual(profiled!.host.map(({ name, calls }) => [name, calls]), [
    ["load dataset", 6],
    ["let data", 6],
    ["let data: input", 6],
    ["let data: target", 6],
    ["encode", 6],
    ["submit", 6],
    ["wait", 6],
    ["monitor loss", 6],
  ]);
  assert.deepEqual(profiled!.ranges.map(({ path, track, entries }) => [path, track, entries]), [["train", "host", 6]]);
  for (const step of blocks.flatMap(({ steps }) => steps)) {
    assert.ok(step.forward! > 0 && step.backward! > 0 && step.update! > 0 && step.batchCost! > 0, Deno.inspect(step));
  }
  assert.deepEqual(blocks.map(({ samples }) => samples), [24, 24]);
  assert.ok(metrics.ips!.value > 0 && losses.every((loss) => typeof loss === "number"));

  const { roofline } = result;
  const { bottleneck, bound } = result.variants[0]!;
  assert.deepEqual(roofline!.steps.map(({ variant }) => variant), ["mine"]);
  assert.ok(bottleneck!.byRules !== null && bound === bottleneck!.byRules.bound, Deno.inspect({ bottleneck, bound }));

  const look = { columns: 200, color: false };
  assert.match(renderMatrix(result, look), /^mine +\d/m);
  const text = renderProfile(result, { ...look, verbosity: 2, sort: "order", top: null, groupBy: [] });
  for (
    const title of [
      /^Ops: \d+/m,
      /^Host: ms/m,
      /^Copies/m,
      /^Memory over a step/m,
      /^Ranges: ms/m,
      /^Roofline: \d+ ops/m,
    ]
  ) {
    assert.match(text, title);
  }
  assert.deepEqual(validateTrace(await mine.trace()), []);
  const tracks = new Set(mine.timeline.spans.map(({ track }) => track));
  for (const track of ["main", "device phases", "device ops", "device kernels"]) assert.ok(tracks.has(track), track);
  const folder = await Deno.makeTempDir();
  try {
    await mine.report(`${folder}/report`);
    const files = [...Deno.readDirSync(`${folder}/report`)].map(({ name }) => name).sort();
    assert.deepEqual(files, ["plots", "profile.csv", "report.html", "report.md", "result.json", "trace.json"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("advice on a trainer's loop leaves out what the loop's own code decides", async () => {
  await using trainer = await createTrainer(small);
  const profiler = await profile({ trainer, active: 1 }).start();
  await trainer.step();
  await profiler.step();
  const variant = (await profiler.stop()).result.variants[0]!;
  const { metrics, blocks } = variant;
  const ms = (value: number) => ({ ...metrics.batchCost!, value });
  const idle = { ...metrics, batchCost: ms(100), readerCost: ms(40), iterationGap: ms(97), forward: ms(1) };
  const waiting: VariantResult = { ...variant, metrics: { ...idle, backward: ms(1), update: ms(1) } };
  const machine = { ...partsOf(trainer), device: trainer.device, cores: 4, peaks: null };
  const advised = (loop: VariantResult) =>
    adviseLoop(loop, machine).variant.findings.flatMap(({ changes }) => changes.map(({ path }) => path));
  const fed = advised(waiting);
  assert.ok(fed.includes("loader.batchSize") && !fed.includes("sink") && !fed.includes("monitor"), fed.join());
  const own = blocks.map((block) => ({ ...block, steps: block.steps.map((step) => ({ ...step, readerCost: null })) }));
  const ownBatches = advised({ ...waiting, blocks: own });
  assert.ok(ownBatches.every((path) => !/^(loader|data|sink|monitor)/.test(path)), ownBatches.join());
});

Deno.test("profiling changes no loss and no parameter", async () => {
  const train = async (profiled: boolean) => {
    await using trainer = await createTrainer(small);
    await using profiler = profile({ trainer, warmup: 1, active: 2, repeat: 2 });
    if (profiled) await profiler.start();
    const losses: number[] = [];
    for (let i = 0; i < 8; i++) {
      losses.push((await trainer.step()).loss);
      if (profiled) await profiler.step();
    }
    return { losses, parameters: await trainer.parameters() };
  };
  assert.deepEqual(await train(true), await train(false));
});

Deno.test("several steps of a trainer can be one step of the loop, with batches of the script's own", async () => {
  await using trainer = await createTrainer(small);
  const batch = { input: new Float32Array(8 * 3 * 16).fill(0.5), target: new Int32Array(8) };
  const profiler = await profile({ trainer, active: 2, repeat: 1 }).start();
  for (let i = 0; i < 3; i++) {
    await trainer.step(batch);
    await trainer.step(batch);
    await profiler.step();
  }
  const { ops, blocks, profile: profiled } = (await profiler.stop()).result.variants[0]!;
  assert.ok(ops.every(({ calls }) => calls === 4));
  assert.deepEqual([blocks[0]!.samples, blocks[0]!.steps.length], [32, 2]);
  assert.equal(blocks[0]!.steps[0]!.readerCost, null);
  assert.equal(profiled!.host.find(({ name }) => name === "let data")!.calls, 4);
});

Deno.test("a loop that submits itself has the device's time of its steps and ranges", async () => {
  const { adapter } = await requireAdapter({ probe: false });
  const device = await adapter.requestDevice({ requiredFeatures: ["timestamp-query"] });
  const buffer = device.createBuffer({ size: 1 << 24, usage: GPUBufferUsage.COPY_DST });
  const clear = (times: number, size: number) => {
    const encoder = device.createCommandEncoder();
    for (let i = 0; i < times; i++) encoder.clearBuffer(buffer, 0, size);
    device.queue.submit([encoder.finish()]);
  };
  const profiler = await profile({ device, samples: 4, warmup: 1, active: 3, repeat: 1 }).start();
  for (let i = 0; i < 5; i++) {
    range("outer", () => {
      range("short", () => clear(1, 256));
      range("long", () => clear(32, 1 << 24)); // a million times as many bytes
    });
    await range("host only", () => setImmediate());
    await profiler.step();
  }
  const own = await profiler.stop();
  const { profile: profiled, blocks, ops, counts, metrics } = resultSchema.parse(own.result).variants[0]!;
  assert.deepEqual([ops, counts, metrics.forward, blocks[0]!.samples], [[], null, null, 12]);
  const of = (track: string) =>
    new Map(profiled!.ranges.filter((one) => one.track === track).map((one) => [one.path, one]));
  const [host, onDevice] = [of("host"), of("device")];
  const paths = ["host only", "outer", "outer/long", "outer/short"];
  assert.deepEqual([[...host.keys()].sort(), [...onDevice.keys()].sort()], [paths, paths]);
  assert.ok(profiled!.ranges.every(({ entries }) => entries === 3));
  const total = (path: string) => onDevice.get(path)!.total;
  assert.ok(total("outer/long") > total("outer/short") && total("outer") >= total("outer/long") + total("outer/short"));
  const steps = blocks[0]!.steps.reduce((sum, { stepTime }) => sum + stepTime!, 0);
  assert.ok(steps >= total("outer"), `${steps} ms of steps, ${total("outer")} ms of their ranges`);
  const tracks = new Set(own.timeline.spans.map(({ track }) => track));
  assert.ok(tracks.has("device ranges") && tracks.has("device phases"));
  assert.deepEqual(validateTrace(await own.trace()), []);
  const text = renderMatrix(own.result, { columns: 200, color: false }) +
    renderProfile(own.result, {
      ...{ columns: 200, color: false, verbosity: 2, sort: "order", top: null, groupBy: [] },
    });
  assert.match(text, /the loop has no trainer: .*forward/);
  assert.doesNotMatch(text, /only the loader|seed|Copies/);
  device.destroy();
});

Deno.test("a device without timestamps leaves its times out", async () => {
  const { adapter } = await requireAdapter({ probe: false });
  const device = await adapter.requestDevice();
  const profiler = await profile({ device, active: 1 }).start();
  range("work", () => {});
  await profiler.step();
  const { blocks, profile: profiled } = (await profiler.stop()).result.variants[0]!;
  assert.deepEqual([blocks[0]!.steps[0]!.stepTime, profiled!.ranges.map(({ track }) => track)], [null, ["host"]]);
  device.destroy();
});

Deno.test("a profiler that a loop leaves early gives the trainer back", async () => {
  await using trainer = await createTrainer(small);
  const failing = async () => {
    await using profiler = await profile({ trainer }).start();
    await trainer.step();
    await profiler.step();
    throw new Error("stopped halfway");
  };
  await assert.rejects(failing, /stopped halfway/);
  const before = { ...trainer.device.counts };
  await trainer.step();
  assert.equal(trainer.device.counts.submits - before.submits, 2, "a step and its readback");
  const profiler = await profile({ trainer, active: 1 }).start();
  await trainer.step();
  await profiler.step();
  assert.equal(indices(await profiler.stop()).length, 1);
});

Deno.test("misuse of a profiler names the mistake", async () => {
  await using trainer = await createTrainer(small);
  const options: [Parameters<typeof profile>[0], RegExp][] = [
    [{ active: 0 }, /active is 0, expected a whole number of at least 1/],
    [{ wait: 1.5 }, /wait is 1.5, expected a whole number of at least 0/],
    [{ samples: 0 }, /samples is 0/],
    [{ name: "" }, /name is ""/],
    [{ peaks: true }, /peaks is true without a trainer/],
    [{ trainer, device: trainer.device.gpu }, /a trainer brings its own device/],
  ];
  for (const [wrong, message] of options) {
    assert.throws(() => profile(wrong), (error) => error instanceof InputError && message.test(error.message));
  }
  const profiler = profile({ trainer });
  await assert.rejects(() => profiler.step(), /step\(\) was called, but the profiler was not started/);
  await assert.rejects(() => profiler.stop(), /stop\(\) was called, but the profiler was not started/);
  await profiler.start();
  await assert.rejects(() => profiler.start(), /start\(\) was called before/);
  await assert.rejects(() => profile({ trainer }).start(), /another profiler records this trainer/);
  await trainer.step();
  await profiler.step();
  assert.equal((await profiler.stop()).result.variants[0]!.ops[0]!.calls, 1, "the first profiler kept the trainer");
  await assert.rejects(() => profiler.step(), /the profiler was stopped; create another/);
  const tuned = scenario({ ...small, compile: { autotune: true } });
  await using tuning = await createTrainer(tuned);
  await assert.rejects(() => profile({ trainer: tuning }).start(), /tunes its kernels until step \d+/);
});
