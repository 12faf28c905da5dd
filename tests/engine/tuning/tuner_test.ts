import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import {
  batchNorm,
  conv2d,
  createTrainer,
  crossEntropy,
  flatten,
  linear,
  relu,
  sequential,
  sgd,
  syntheticImages,
  type VariantDefinition,
} from "../../../mod.ts";
import { candidateId, compileTuned, type TuningTask, tuningTasks } from "../../../runtime/engine/tuning/tasks.ts";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { Device } from "../../../runtime/device/device.ts";
import { DEFAULT_TRAITS } from "../../../runtime/device/traits.ts";
import { Tuner, type TuningOutcome } from "../../../runtime/engine/tuning/tuner.ts";
import { TuningCache } from "../../../runtime/engine/tuning/cache.ts";
import { runExperiment } from "../../../runtime/experiment/run_experiment.ts";
import { renderTuning } from "../../../runtime/report/autotune.ts";
import { resultSchema } from "../../../runtime/result/schema.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";

const folder = await Deno.makeTempDir({ prefix: "tacho-tuning-" });
const file = join(folder, "cache.json");
/** Time limit that the candidates reach on no machine. */
const SECONDS = 3600;
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

function definition(settings: VariantDefinition<Record<never, never>>) {
  return {
    name: "tuned",
    model: sequential({
      conv: conv2d(12, { kernel: 3, padding: 1 }),
      bn: batchNorm(),
      relu: relu(),
      flatten: flatten(),
      fc: linear(4),
    }),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.05 }),
    data: syntheticImages({ height: 8, width: 8, classes: 4, length: 64 }),
    loader: { batchSize: 4 },
    measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 1 },
    variants: { tested: settings },
  };
}

const [variant] = resolveScenario(definition({ compile: { autotune: { cache: file, seconds: SECONDS } } })).variants;
const { config } = variant!;
const dataset = describeDataset(config.data);
const tuning = config.compile.autotune!;

async function tune(device: Device, tasks: readonly TuningTask[], options = tuning) {
  const tuner = await Tuner.create(device, tasks, { config: options, shouldStop: () => false });
  while (tuner.pending > 0) await tuner.advance(3);
  const choices = tuner.choices();
  return { outcome: await tuner.finish(), choices };
}

/** Chosen candidates by op and shapes. */
function chosen({ ops }: TuningOutcome): string[] {
  return ops.map(({ op, inputs, chosen }) => `${op} ${inputs.join(" ")}: ${chosen}`);
}

Deno.test("candidates are timed once, and the next run reads the times from the cache and compiles the same plan", async () => {
  const device = await Device.open();
  const tasks = tuningTasks(config, dataset, device.traits);
  assert.ok(tasks.length > 0 && tasks.every(({ candidates }) => candidates.length > 1));
  const before = device.bytes;
  const first = await tune(device, tasks);
  assert.equal(device.bytes, before, "scratch buffers are freed");
  assert.deepEqual(first.outcome.warnings, []);
  assert.equal(first.outcome.hits, 0);
  for (const { source, candidates } of first.outcome.ops) {
    assert.equal(source, "timed");
    assert.equal(candidates.filter(({ chosen }) => chosen).length, 1);
    assert.ok(candidates.every(({ time }) => time !== null && time > 0));
  }
  assert.ok(first.outcome.after <= first.outcome.before);
  const second = await tune(device, tasks);
  assert.equal(second.outcome.hits, tasks.length);
  assert.ok(second.outcome.ops.every(({ source }) => source === "cache"));
  assert.deepEqual(chosen(second.outcome), chosen(first.outcome));
  const plan = (choices: typeof first.choices) => compileTuned(config, dataset, device.traits, choices).plan;
  assert.equal(plan(first.choices).fingerprint, plan(second.choices).fingerprint);
  const other = new Map(tasks.map(({ key }) => [key, "unknown"]));
  assert.equal(plan(other).fingerprint, plan(new Map()).fingerprint, "an unknown choice means the default");
  assert.deepEqual((await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name), ["cache.json"]);
  device.destroy();
});

Deno.test("a different choice changes the fingerprint", () => {
  const traits = { ...DEFAULT_TRAITS, class: "cpu" as const };
  const [task] = tuningTasks(config, dataset, traits);
  const forced = new Map([[task!.key, candidateId(task!.candidates[1]!)]]);
  const plan = (choices: ReadonlyMap<string, string>) =>
    compileTuned(config, dataset, traits, choices).plan.fingerprint;
  assert.notEqual(plan(forced), plan(new Map()));
});

Deno.test("a broken cache or another adapter's is ignored with a warning", async () => {
  const device = await Device.open();
  const warnings: string[] = [];
  const cache = () => new TuningCache(device.info, file, (message) => warnings.push(message));
  const good = await Deno.readTextFile(file);
  assert.ok(cache().load().size > 0);
  for (
    const [text, expected] of [
      ["{", /does not hold the times of kernels/],
      ['{"adapter": 1}', /does not hold the times of kernels/],
      [good.replace(JSON.stringify(device.info.name), '"Other GPU"'), /was made on Other GPU/],
    ] as const
  ) {
    await Deno.writeTextFile(file, text);
    assert.equal(cache().load().size, 0);
    assert.match(warnings.pop()!, expected);
  }
  const { outcome } = await tune(device, tuningTasks(config, dataset, device.traits).slice(0, 1));
  assert.deepEqual(outcome.warnings.map((text) => / was made on Other GPU /.test(text)), [true], "said once");
  assert.equal(outcome.hits, 0);
  await Deno.writeTextFile(file, good);
  device.destroy();
});

Deno.test("entries with kernels that no longer exist are ignored, and that is said once", async () => {
  const device = await Device.open();
  const tasks = tuningTasks(config, dataset, device.traits);
  const cache = join(folder, "removed.json");
  const options = { ...tuning, cache };
  await tune(device, tasks, options);
  const kept = JSON.parse(await Deno.readTextFile(cache));
  const { [tasks[0]!.key]: entry, ...entries } = kept.entries;
  const gone = { id: "0123456789abcdef01234567", name: `${entry.candidates[0].name}.gone`, time: 1e-6 };
  const before = { ...entry, chosen: gone.id, candidates: [gone, ...entry.candidates] };
  await Deno.writeTextFile(cache, JSON.stringify({ ...kept, entries: { ...entries, before } }));
  const { outcome } = await tune(device, tasks, options);
  assert.deepEqual(outcome.warnings, [
    `${cache} names kernels that this version of Tacho does not have (for ${tasks[0]!.op}); timing them again`,
  ]);
  assert.deepEqual(outcome.ops.map(({ source }) => source), tasks.map((_, i) => i === 0 ? "timed" : "cache"));
  const again = await tune(device, tasks, options);
  assert.deepEqual(again.outcome.warnings, []);
  assert.equal(again.outcome.hits, tasks.length);
  await Deno.remove(cache);
  device.destroy();
});

Deno.test("a file that is not a cache is left as it is; an empty one or one of another version is overwritten", async () => {
  const device = await Device.open();
  const tasks = tuningTasks(config, dataset, device.traits).slice(0, 1);
  const cache = join(folder, "own.json");
  for (
    const [text, lost] of [
      ["export default 1;\n", false],
      ['{"name": "x"}', false],
      ["[]", false],
      ["", true],
      ["\n", true],
      ['{"adapter": {"version": 0}, "entries": {}}', true],
    ] as const
  ) {
    await Deno.writeTextFile(cache, text);
    const { outcome } = await tune(device, tasks, { ...tuning, cache });
    assert.equal(outcome.ops[0]!.source, "timed");
    const [warning, ...others] = outcome.warnings;
    assert.deepEqual([/own\.json does not hold/.test(warning!), /left as it is/.test(warning!)], [true, !lost]);
    assert.deepEqual(others, []);
    assert.equal(await Deno.readTextFile(cache) === text, !lost, text);
  }
  await Deno.remove(cache);
  device.destroy();
});

Deno.test("a cache that cannot be written gives a warning and leaves no partial file", async () => {
  const device = await Device.open();
  const cache = join(folder, "place", "taken.json");
  await Deno.mkdir(cache, { recursive: true });
  const tasks = tuningTasks(config, dataset, device.traits).slice(0, 1);
  const { outcome } = await tune(device, tasks, { ...tuning, cache });
  assert.equal(outcome.ops[0]!.source, "timed");
  assert.deepEqual(outcome.warnings.map((text) => /taken\.json (is not a file$|\()/.test(text)), [true, true]);
  assert.deepEqual((await Array.fromAsync(Deno.readDir(dirname(cache)))).map(({ name }) => name), ["taken.json"]);
  device.destroy();
});

Deno.test("the defaults are used if the time limit is 0 or tuning is interrupted", async () => {
  const device = await Device.open();
  const tasks = tuningTasks(config, dataset, device.traits);
  const options = { ...tuning, cache: join(folder, "none.json") };
  const late = await tune(device, tasks, { ...options, seconds: 0 });
  assert.ok(late.outcome.ops.every(({ source, candidates }) => source === "left" && candidates[0]!.chosen));
  assert.equal(late.choices.size, 0);
  const tuner = await Tuner.create(device, tasks, { config: options, shouldStop: () => true });
  assert.equal(await tuner.advance(1), false);
  await tuner.finish();
  device.destroy();
});

Deno.test("a trainer tunes over the window and continues from the same state", async () => {
  const cache = join(folder, "trainer.json");
  const off = await createTrainer(definition({}), { variant: "tested" });
  const on = await createTrainer(
    definition({ compile: { autotune: { start: 1, stop: 3, cache, seconds: SECONDS } } }),
    {
      variant: "tested",
    },
  );
  const start = on.planFingerprint;
  assert.equal(start, off.planFingerprint);
  for (let step = 0; step < 6; step++) {
    const [a, b] = [await off.step(), await on.step()];
    assert.ok(Math.abs(a.loss - b.loss) <= 1e-4 * (1 + a.loss), `step ${step}: ${a.loss} and ${b.loss}`);
    if (step < 1) assert.equal(on.tuning, null);
  }
  assert.ok(on.tuning!.ops.length > 0);
  const [a, b] = [
    await off.forward(new Float32Array(768).fill(0.1)),
    await on.forward(new Float32Array(768).fill(0.1)),
  ];
  a.forEach((value, i) => assert.ok(Math.abs(value - b[i]!) <= 1e-3));
  await off[Symbol.asyncDispose]();
  await on[Symbol.asyncDispose]();
});

Deno.test("an experiment reports tuning, and its losses repeat", async () => {
  const run = async () =>
    resultSchema.parse(
      await runExperiment(resolveScenario(definition({ compile: { autotune: { cache: file, seconds: SECONDS } } })), {
        interrupted: () => false,
        script: { file: null, sha256: null },
        profile: null,
      }),
    );
  const [first, second] = [await run(), await run()];
  const [a, b] = [first.variants[0]!, second.variants[0]!];
  assert.equal(a.status, "ok");
  assert.equal(b.autotune!.hits, b.autotune!.ops.length);
  assert.equal(a.planFingerprint, b.planFingerprint);
  assert.deepEqual(a.losses, b.losses);
  const text = renderTuning(second, { columns: null, color: false, candidates: true });
  assert.match(text, /tested: kernels timed on the (device|host)'s clock/);
  for (const { name } of b.autotune!.ops[0]!.candidates) assert.ok(text.includes(name));
});
