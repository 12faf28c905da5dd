import assert from "node:assert/strict";
import { join } from "node:path";
import {
  conv2d,
  createTrainer,
  crossEntropy,
  flatten,
  globalAvgPool2d,
  resultSchema,
  sequential,
  sgd,
  tensors,
} from "../../../mod.ts";
import { candidateId, compileTuned, tuningTasks } from "../../../runtime/engine/tuning/tasks.ts";
import { compileVariant } from "../../../runtime/compile/variant.ts";
import type { ProgressEvent } from "../../../runtime/result/run_event.ts";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { Device } from "../../../runtime/device/device.ts";
import { Executor } from "../../../runtime/engine/executor.ts";
import { SlotPool } from "../../../runtime/engine/slot_pool.ts";
import { TuningCache, type TuningEntry } from "../../../runtime/engine/tuning/cache.ts";
import { passWindow } from "../../../runtime/experiment/start/start_arms.ts";
import { LocalSteps } from "../../../runtime/experiment/variant/local_steps.ts";
import { VariantTuning } from "../../../runtime/experiment/variant/tuning.ts";
import { VariantArm } from "../../../runtime/experiment/variant/variant_arm.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { DEFAULT_TRAITS } from "../../../runtime/device/traits.ts";
import type { KeptTuning } from "../../../runtime/store/run_recorder.ts";
import { testDevice } from "../../support/evaluate.ts";
import { loaderOnly, MemoryRecorder, runScenario } from "../running.ts";
import { fullTest } from "../../support/full.ts";

const folder = await Deno.makeTempDir({ prefix: "tacho-window-" });
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

/** Caches with fixed choices: the default kernel for every dispatch, and another one. */
const [first, last] = [join(folder, "first.json"), join(folder, "last.json")];
const WINDOW = { start: 1, stop: 4, seconds: 3600 };

/** Images of 8 channels and 8 classes. */
function images(length: number) {
  const split = {
    input: { shape: [8, 8, 8], data: Float32Array.from({ length: length * 512 }, (_, i) => Math.sin(i * 0.7)) },
    target: { data: Int32Array.from({ length }, (_, i) => i % 8) },
  };
  return tensors({ ...split, test: split, classes: 8 });
}

function net(settings: Record<string, unknown> = {}) {
  return {
    name: "window",
    ...{
      // The last kernels of this convolution round differently, and its weight gradient's needs more memory
      model: sequential({ conv: conv2d(8, { kernel: 3, padding: 1 }), pool: globalAvgPool2d(), flatten: flatten() }),
      loss: crossEntropy(),
      optimizer: sgd({ learningRate: 1, momentum: 0.9 }),
      data: images(64),
      loader: { batchSize: 4 },
      measure: { steps: 2, skip: 2, maxSkip: 2, rounds: 2, opRounds: 1 },
    },
    ...settings,
  };
}

/** Settings of a variant tuned with the times in a file. */
const tuned = (cache: string, window = WINDOW) => ({ compile: { autotune: { ...window, cache } } });

const { info, traits } = await testDevice();

/** Writes a file with a choice for each op of a training, and plans with it. */
async function choose(file: string, place: number, settings: Record<string, unknown> = {}) {
  const { config } = resolveScenario(net(settings)).variants[0]!;
  const dataset = describeDataset(config.data);
  const entries = new Map(
    tuningTasks(config, dataset, traits).map(({ key, op, candidates }): [string, TuningEntry] => [key, {
      op,
      chosen: candidateId(candidates.at(place)!),
      candidates: candidates.map((plan) => ({ id: candidateId(plan), name: plan.name, time: 1 })),
    }]),
  );
  await new TuningCache(info, file, assert.fail).save(entries);
  const choices = new Map([...entries].map(([key, { chosen }]) => [key, chosen]));
  return { ...compileTuned(config, dataset, traits, choices), ops: entries.size };
}

const [{ plan: defaultPlan }, { plan: tunedPlan, ops }] = [await choose(first, 0), await choose(last, -1)];

/** Runs `work`. Returns its value, and the sequence of encoded plans with the number of steps of each. */
async function watched<T>(work: () => Promise<T>): Promise<[T, ["default" | "tuned" | "other", number][]]> {
  const seen: ["default" | "tuned" | "other", number][] = [];
  const { encode } = Executor.prototype;
  Executor.prototype.encode = function (...args) {
    const { fingerprint } = this.plan;
    const name = fingerprint === defaultPlan.fingerprint
      ? "default"
      : fingerprint === tunedPlan.fingerprint
      ? "tuned"
      : "other";
    if (seen.at(-1)?.[0] === name) seen.at(-1)![1]++;
    else seen.push([name, 1]);
    return encode.apply(this, args);
  };
  try {
    return [await work(), seen];
  } finally {
    Executor.prototype.encode = encode;
  }
}

/** Returns the losses of `createTrainer` over `steps` steps. */
async function trained(settings: Record<string, unknown>, steps: number): Promise<number[]> {
  await using trainer = await createTrainer(net(settings));
  const losses: number[] = [];
  for (let i = 0; i < steps; i++) losses.push((await trainer.step()).loss);
  return losses;
}

Deno.test("a variant starts with default kernels and is measured with tuned ones", async () => {
  const [{ variants: [variant], procedure }, plans] = await watched(() => runScenario(net(tuned(last))));
  assert.deepEqual(plans, [["default", WINDOW.stop], ["tuned", 6]]);
  assert.equal(variant!.planFingerprint, tunedPlan.fingerprint);
  assert.equal(variant!.autotune!.hits, ops);
  // Two steps behind the window do not count either
  assert.deepEqual(procedure!.warmUp.map(({ steps }) => steps), [6]);
  assert.deepEqual(variant!.blocks.flatMap(({ steps }) => steps.map(({ index }) => index)), [6, 7, 8, 9]);
  assert.deepEqual(variant!.losses, await trained(tuned(last), 10));
  assert.notDeepEqual(variant!.losses, await trained({}, 10), "else nothing can be seen from losses here");
  assert.ok(variant!.metrics.firstStep!.value > 0);
});

fullTest("a tuned variant does not affect the others, and progress never decreases", async () => {
  const events: ProgressEvent[] = [];
  const scenario = net({ variants: { plain: {}, tuned: tuned(last), other: tuned(first) } });
  const result = resultSchema.parse(
    await runScenario(scenario, { stops: (event) => void events.push(event) !== undefined }),
  );
  assert.deepEqual(result.variants.map(({ status, planFingerprint }) => [status, planFingerprint]), [
    ["ok", defaultPlan.fingerprint],
    ["ok", tunedPlan.fingerprint],
    ["ok", defaultPlan.fingerprint],
  ]);
  const [plain, variant, other] = result.variants.map(({ losses }) => losses);
  assert.deepEqual(plain, await trained({}, 6));
  assert.deepEqual(variant, await trained(tuned(last), 10));
  assert.deepEqual(other, await trained({}, 10));
  assert.deepEqual(result.procedure!.warmUp.map(({ steps }) => steps), [2, 6, 6, 2]);
  const stages = events.filter((event) => event.variant === "tuned" && event.stage === "warmup");
  assert.deepEqual([...new Set(stages.map(({ step }) => step))], [0, 1, 2, 3, 4, 5, 6]);
  assert.ok(stages.every(({ steps }) => steps === 6));
  const fractions = events.map(({ fraction }) => fraction ?? 0);
  assert.deepEqual(fractions, fractions.toSorted((a, b) => a - b));
});

fullTest("cached times give the same losses and plan as new ones", async () => {
  const cache = join(folder, "times.json");
  const stages: [string, number][] = [];
  const run = async () => {
    const result = await runScenario(net({ variants: { tuned: tuned(cache) } }), {
      stops: ({ stage, step }) => void stages.push([stage, step]) !== undefined,
    });
    return result.variants[0]!;
  };
  const timed = await run();
  assert.ok(timed.autotune!.ops.every(({ source }) => source === "timed"));
  const tuning = stages.splice(0).filter(([stage]) => stage === "tune" || stage === "warmup");
  const begin = tuning.findIndex(([stage]) => stage === "tune");
  assert.deepEqual(tuning[begin - 1], ["warmup", 1], "from the second step on");
  assert.equal(tuning.filter(([stage]) => stage === "tune").length, ops);
  assert.ok(tuning.slice(begin).some(([stage, step]) => stage === "warmup" && step === 3));
  const known = await run();
  assert.ok(known.autotune!.ops.every(({ source }) => source === "cache"));
  assert.deepEqual(stages.filter(([stage]) => stage === "tune"), []);
  assert.equal(known.planFingerprint, timed.planFingerprint);
  assert.deepEqual(known.losses, timed.losses);
});

fullTest("a trainer switches to tuned kernels at the end of the window, even with cached times", async () => {
  await using trainer = await createTrainer(net(tuned(last)));
  for (let step = 0; step <= WINDOW.stop; step++) {
    assert.equal(trainer.tuning, null);
    assert.equal(trainer.planFingerprint, defaultPlan.fingerprint);
    await trainer.step();
  }
  assert.equal(trainer.tuning!.hits, ops);
  assert.equal(trainer.planFingerprint, tunedPlan.fingerprint);
});

fullTest("the tuning window ends with a whole sink", async () => {
  const scenario = net({ sink: 3, ...tuned(last) });
  const [{ variants: [variant], procedure }, plans] = await watched(() => runScenario(scenario));
  assert.deepEqual(plans, [["default", 6], ["tuned", 9]]);
  assert.deepEqual(variant!.losses, await trained(tuned(last, { ...WINDOW, stop: 6 }), 15));
  assert.deepEqual(procedure!.warmUp.map(({ steps }) => steps), [9]);
  // A window within a single sink has no place for timing but its end
  const cache = join(folder, "sink.json");
  const narrow = { variants: { tuned: { sink: 4, ...tuned(cache, { ...WINDOW, stop: 2 }) } } };
  const { autotune } = (await runScenario(net(narrow))).variants[0]!;
  assert.ok(autotune!.ops.every(({ source }) => source === "timed"));
});

fullTest("without warm-up, the first step uses tuned kernels", async () => {
  for (const settings of [{ measure: { steps: 2, skip: 0, rounds: 2 } }, { epochs: 1, measure: { skip: 2 } }]) {
    const [{ variants: [variant], procedure }, plans] = await watched(() =>
      runScenario(net({ ...settings, ...tuned(last) }))
    );
    assert.deepEqual(plans.map(([name]) => name), ["tuned"]);
    assert.deepEqual([variant!.planFingerprint, variant!.autotune!.hits], [tunedPlan.fingerprint, ops]);
    assert.deepEqual(procedure!.warmUp.map(({ steps }) => steps), ["epochs" in settings ? 2 : 0]);
  }
});

Deno.test("without a model there is nothing to tune", async () => {
  const { variants: [variant], procedure } = await runScenario(loaderOnly(tuned(join(folder, "none.json"))));
  assert.deepEqual([variant!.status, variant!.autotune], ["ok", null]);
  assert.deepEqual(procedure!.warmUp.map(({ steps }) => steps), [2]);
});

fullTest("the control arm switches to the baseline's tuned kernels at the same step", async () => {
  const { variants, procedure } = await runScenario(
    net({ ...tuned(join(folder, "second.json")), variants: { a: {}, b: { sink: 2 } } }),
  );
  const lossesOf = ({ blocks }: Pick<typeof variants[number], "blocks">) =>
    blocks.flatMap(({ steps }) => steps.map(({ index, loss }) => [index, loss]));
  assert.deepEqual(lossesOf(procedure!.secondArm!), lossesOf(variants[0]!));
  assert.deepEqual(procedure!.warmUp.map(({ arm, steps }) => [arm, steps]), [["a", 6], ["b", 6], ["a#2", 6]]);
  assert.deepEqual(procedure!.warnings.filter(({ kind }) => kind === "not-deterministic"), []);
  const scenario = net({ ...tuned(last), variants: { a: {}, b: { compile: { autotune: false } } } });
  const [, plans] = await watched(() => runScenario(scenario));
  // The window of a and a#2; behind it a, b and a#2 warm up
  assert.deepEqual(plans.slice(0, 3), [["default", 8], ["tuned", 2], ["default", 2]]);
  // Its first block may follow its warm-up at once
  const [plan, steps] = plans[3]!;
  assert.equal(plan, "tuned");
  assert(steps >= 2);
});

fullTest("a resumed training uses the kernels of its earlier sittings", async () => {
  const cache = join(folder, "resumed.json");
  const scenario = net({
    ...tuned(cache),
    variants: { a: {}, b: { sink: 2 } },
    measure: { steps: 2, skip: 1, rounds: 3 },
  });
  await Deno.copyFile(last, cache);
  const undisturbed = await runScenario(scenario);
  let runRecorder = new MemoryRecorder();
  const stops = [
    ({ stage, variant, step }: ProgressEvent) => stage === "warmup" && variant === "b" && step === 2,
    ({ stage, variant, step }: ProgressEvent) => stage === "measure" && variant === "a" && step === 1,
    ({ message, variant }: ProgressEvent) => message === "round 2/3" && variant === "a",
    ({ stage, variant, step }: ProgressEvent) => stage === "warmup" && variant === "a" && step === 2,
  ];
  for (const [i, stop] of stops.entries()) {
    const { procedure } = await runScenario(scenario, { runRecorder, stops: stop });
    assert.equal(procedure!.stoppedBy, "interrupted");
    runRecorder = runRecorder.again();
    // What was kept by then does not depend on the file
    if (i === 2) await Deno.copyFile(first, cache);
    if (i === 3) await Deno.remove(cache);
  }
  const { variants, procedure } = await runScenario(scenario, { runRecorder });
  assert.deepEqual(procedure!.warnings.filter(({ kind }) => kind === "resumed"), []);
  for (const [i, { planFingerprint, losses, autotune }] of variants.entries()) {
    assert.equal(planFingerprint, tunedPlan.fingerprint);
    const steps = Math.min(losses.length, undisturbed.variants[i]!.losses.length);
    assert.ok(steps > WINDOW.stop + 2);
    assert.deepEqual(losses.slice(0, steps), undisturbed.variants[i]!.losses.slice(0, steps));
    assert.equal(autotune!.hits, ops);
  }
  await assert.rejects(Deno.stat(cache), Deno.errors.NotFound, "nothing was timed");
});

Deno.test("kept choices of kernels that do not exist fall back to the default kernels, with a warning", () => {
  const [variant] = resolveScenario(net(tuned(last))).variants;
  const { config } = variant!;
  const dataset = describeDataset(config.data);
  const defaults = compileVariant(config, dataset, DEFAULT_TRAITS);
  const place = { variant: variant!, dataset, defaults, device: null, switchStep: WINDOW.stop, keep: false };
  const tasks = tuningTasks(config, dataset, DEFAULT_TRAITS);
  const kept = (chosen: (task: typeof tasks[number]) => string): KeptTuning => ({
    choices: {},
    outcome: {
      ops: tasks.map((task) => ({
        ...{ op: task.op, nodes: [...task.nodes], inputs: [], outputs: [], source: "timed" as const },
        ...{ chosen: chosen(task), candidates: [] },
      })),
      ...{ hits: 0, spent: 0, before: 0, after: 0, clock: "host", cache: "", warnings: [] },
    },
  });
  const adopted = (choice: KeptTuning) => {
    const tuning = new VariantTuning(place, { replan: () => assert.fail("nothing runs") });
    tuning.adopt(choice);
    return { plan: tuning.measured!.plan.fingerprint, warnings: tuning.outcome!.warnings };
  };
  const known = adopted(kept(({ candidates }) => candidates.at(-1)!.name));
  assert.deepEqual([known.warnings, known.plan === defaults.plan.fingerprint], [[], false]);
  const gone = adopted(kept(() => "conv2d.gone"));
  assert.equal(gone.plan, defaults.plan.fingerprint);
  assert.equal(gone.warnings.length, 1);
  assert.match(
    gone.warnings[0]!,
    /^The kept choices name kernels that this version of Tacho does not have \(for conv2d/,
  );
});

Deno.test("an interruption during tuning keeps the times so far", async () => {
  const cache = join(folder, "interrupted.json");
  const { variants } = await runScenario(net({ variants: { plain: {}, tuned: tuned(cache) } }), {
    stops: ({ stage, step }) => stage === "tune" && step === 1,
  });
  assert.deepEqual(variants.map(({ status }) => status), ["interrupted", "interrupted"]);
  const { entries } = JSON.parse(await Deno.readTextFile(cache));
  assert.equal(Object.keys(entries).length, 1);
});

fullTest("the profile shows the ops of the tuned plan, each set up before its first run", async () => {
  const labels: string[] = [];
  const { createCommandEncoder } = GPUDevice.prototype;
  GPUDevice.prototype.createCommandEncoder = function (descriptor) {
    labels.push(descriptor?.label ?? "");
    return createCommandEncoder.call(this, descriptor!);
  };
  const profile = { skipFirst: 0, wait: 0, warmup: 0, active: 1, repeat: 1 };
  const { variants } = await runScenario(net(tuned(last)), { profile }).finally(() => {
    GPUDevice.prototype.createCommandEncoder = createCommandEncoder;
  });
  const kernels = (list: readonly { id: string; kernel: string }[]) => list.map(({ id, kernel }) => `${id} ${kernel}`);
  const [before, behind] = [kernels(defaultPlan.nodes), kernels(tunedPlan.nodes)];
  assert.deepEqual(kernels(variants[0]!.ops).sort(), behind.toSorted());
  assert.ok(variants[0]!.ops.every(({ setup }) => setup.firstDispatch !== null));
  const setUp = (from: string | null, to: string) =>
    labels.slice(from === null ? 0 : labels.indexOf(from), labels.indexOf(to))
      .flatMap((label) => label.startsWith("first ") ? label.slice("first ".length) : []);
  assert.deepEqual(setUp(null, "step 0").sort(), defaultPlan.nodes.map(({ id }) => id).sort());
  const changed = tunedPlan.nodes.filter((_, i) => !before.includes(behind[i]!)).map(({ id }) => id);
  assert.ok(changed.length > 0 && changed.length < behind.length);
  assert.deepEqual(setUp("step 3", "step 4").sort(), changed.sort());
  assert.deepEqual(setUp("step 4", labels.at(-1)!), []);
});

fullTest("ablations and training to a target use the tuned plan", async () => {
  const settings = { ...tuned(last), bottleneck: true, target: { loss: 0, seeds: 1, maxSteps: 5 } };
  const [{ variants: [variant] }, plans] = await watched(() => runScenario(net(settings)));
  assert.deepEqual([variant!.status, variant!.target!.seeds.length], ["ok", 1]);
  assert.ok(variant!.bottleneck !== null);
  assert.deepEqual(plans.filter(([name]) => name === "default"), [["default", WINDOW.stop]]);
  assert.deepEqual([plans.at(-1)![0], plans.at(-1)![1] >= 20], ["tuned", true], "losses are checked every 20 steps");
});

fullTest("after the window exactly the tuned plan's memory is allocated", async () => {
  const device = await Device.open();
  const [variant] = resolveScenario(net({ data: images(12), evaluate: { every: 1 }, ...tuned(last) })).variants;
  const dataset = describeDataset(variant!.config.data);
  const defaults = compileVariant(variant!.config, dataset, traits);
  const slots = new SlotPool(device);
  const place = { device, slots, interrupted: () => false, switchStep: WINDOW.stop };
  const run = new VariantArm(new LocalSteps({ variant: variant!, dataset, compiled: defaults }, place));
  run.kernels.reserve();
  const before = device.bytes;
  await run.prepare(0);
  assert.equal(device.bytes - before, defaults.memory.peak);
  await passWindow(run, run.tuning!, { shouldStop: () => false, onStep: () => {}, onProgress: () => {} });
  slots.free();
  run.kernels.reserve();
  await run.tuning!.switchPlan();
  assert.equal(run.local.tuning.of(run.steps), run.compiled);
  assert.notEqual(run.compiled!.memory.peak, defaults.memory.peak);
  assert.equal(device.bytes - before, run.compiled!.memory.peak);
  await run.warmUp(2);
  await run.evaluation!.run(() => {});
  assert.equal(run.failure, null);
  assert.equal(device.bytes - before, run.compiled!.memory.peak);
  await run.close();
  slots.free();
  assert.equal(device.bytes, before, "freed");
  device.destroy();
});

Deno.test("the memory check includes the tuned plans", async () => {
  const cache = join(folder, "checked.json");
  const settings = tuned(cache);
  const [default_, chosen] = [await choose(cache, 0, settings), await choose(cache, -1, settings)];
  const { peak } = chosen.memory;
  assert.ok(peak > default_.memory.peak, "else the tuned plans are not what the check is about");
  const budget = (memoryBudget: number) => runScenario(net({ ...settings, memoryBudget }));
  assert.equal((await budget(peak)).variants[0]!.memory!.peak, peak);
  await assert.rejects(budget(peak - 1), /variant "baseline" needs .* of device memory, more than the memoryBudget/);
});
