import assert from "node:assert/strict";
import {
  conv2d,
  crossEntropy,
  flatten,
  InputError,
  layer,
  linear,
  matmul,
  meanSquaredError,
  mlp,
  reshape,
  type ScenarioDefinition,
  sequential,
  sgd,
  type Tensor,
  tensors,
} from "../../mod.ts";
import { tuningTasks } from "../../runtime/engine/tuning/tasks.ts";
import { compileVariant, outputBytes } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../../runtime/device/traits.ts";
import { planAll } from "../../runtime/experiment/planning.ts";
import type { Config } from "../../runtime/scenario/config.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { classified } from "../trainer/models.ts";
import { refuses } from "../support/refuses.ts";

type Definition = ScenarioDefinition<Record<never, never>>;

function configOf(settings: Partial<Definition>): Config {
  const definition: Definition = {
    name: "planned",
    model: mlp({ hidden: [7], classes: 3 }),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
    data: classified([5], 3, 22),
    loader: { batchSize: 4 },
    ...settings,
  };
  return resolveScenario(definition).variants[0]!.config;
}

function compiled(settings: Partial<Definition> = {}, traits: DeviceTraits = DEFAULT_TRAITS) {
  const config = configOf(settings);
  return compileVariant(config, describeDataset(config.data), traits);
}

function refusesVariant(message: RegExp, settings: Partial<Definition>, traits?: DeviceTraits): void {
  refuses(() => compiled(settings, traits), message);
}

Deno.test("a model that returns a tensor of another variant's build is refused", () => {
  let kept: Tensor | null = null;
  compiled({ model: sequential(layer((x) => kept = flatten()(x)), linear(3)) });
  const model = layer(() => kept!);
  refusesVariant(/model: returns a tensor of another build of the model; .* inside the model's function/, { model });
});

Deno.test("a variant with a tensor of over 2^32 elements fails alone", () => {
  const scenario = resolveScenario({
    name: "large",
    model: mlp({ hidden: [7], classes: 3 }),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: classified([5], 3, 22),
    loader: { batchSize: 4 },
    variants: { small: {}, large: { model: mlp({ hidden: [2 ** 30], classes: 3 }) } },
  });
  const [small, large] = planAll(scenario, {
    traits: DEFAULT_TRAITS,
    adapterName: "test",
    memory: { bytes: null, source: "no limit" },
  });
  assert.equal(small!.error, null);
  assert.ok(large!.error instanceof InputError);
  assert.match(large!.error.message, /the parameter "fc1\.weight" \[.*1073741824.*\] has 5368709120 elements/);
});

Deno.test("the parts of the memory add up, and each follows from its cause", () => {
  const plain = compiled();
  const { peak, ...parts } = plain.memory;
  assert.equal(peak, Object.values(parts).reduce((a, b) => a + b));
  assert.equal(plain.parameterCount, 5 * 7 + 7 + 7 * 3 + 3);
  assert.equal(parts.parameters, 4 * 256, "four tensors of up to 64 values");
  assert.deepEqual([parts.gradients, parts.optimizer], [parts.parameters, parts.parameters]);
  assert.equal(parts.feed, 80 + 16);
  assert.equal(compiled({ sink: 3 }).memory.feed, 96 * 7, "one batch in work, two stages of three");
  assert.equal(compiled({ optimizer: sgd({ learningRate: 1 }) }).memory.optimizer, 0);
  const infer = compiled({ mode: "infer" }).memory;
  assert.deepEqual([infer.gradients, infer.optimizer], [0, 0]);
});

Deno.test("an evaluation collects four numbers per sample, regardless of the number of outputs", () => {
  for (const classes of [3, 500]) {
    const { evaluation } = compiled({ model: mlp({ hidden: [7], classes }), evaluate: { every: 1 } });
    assert.deepEqual(evaluation().outputs, {
      loss: { buffer: "output", offset: 0, size: 16 },
      lossWeight: { buffer: "output", offset: 256, size: 16 },
      correct: { buffer: "output", offset: 512, size: 16 },
      counted: { buffer: "output", offset: 768, size: 16 },
    });
    assert.equal(outputBytes(evaluation()), 784);
  }
  assert.deepEqual(Object.keys(compiled({ loss: null, optimizer: null }).evaluation().outputs), ["correct", "counted"]);
  assert.deepEqual(compiled().plan.outputs, {});
});

Deno.test("sinks of an epoch have its batches, and no sink exceeds the losses that the device keeps", () => {
  assert.equal(compiled({ sink: "epoch" }).sink, 5);
  assert.equal(compiled({ sink: "epoch", loader: { batchSize: 4, dropLast: false } }).sink, 6);
  assert.equal(compiled().sink, 0);
  assert.equal(compiled({ sink: 4096 }).sink, 4096);
  refusesVariant(/sink is 4097 steps, expected at most 4096/, { sink: 4097 });
});

Deno.test("the loss is scaled if gradients are f16 and a training step updates parameters", () => {
  assert.equal(compiled({ amp: "O2" }).lossScale, 65536);
  assert.equal(compiled({ amp: { level: "O2", scaler: { init: 8 } } }).lossScale, 8);
  assert.equal(compiled({ amp: { level: "O2", scaler: { enabled: false } } }).lossScale, 1);
  assert.equal(compiled({ amp: "O2", optimizer: null }).lossScale, 1);
  assert.equal(compiled({ amp: "O0" }).lossScale, 1);
});

Deno.test("models that do not fit the data are rejected with layer and shapes", () => {
  refusesVariant(/returns 2 logits for each target, but the data has 3 classes/, {
    model: mlp({ hidden: [], classes: 2 }),
  });
  refusesVariant(/\(the model returns \[4, 3\], targets are \[4\]\)/, { loss: meanSquaredError() });
  const rows = tensors({
    input: { shape: [5], data: new Float32Array(20) },
    target: { shape: [3], data: new Float32Array(12) },
  });
  refusesVariant(/the model returns \[4, 3\], targets are \[4, 3\]/, { data: rows });
  const unapplied = ((_x: Tensor) => linear) as unknown as NonNullable<Definition["model"]>;
  refusesVariant(/expected the layer to return a tensor, got a function/, { model: unapplied });
  const small = { ...DEFAULT_TRAITS, maxStorageBindingBytes: 65536 };
  const wide = { model: mlp({ hidden: [10000], classes: 3 }) };
  refusesVariant(
    /model: the parameter "fc1\.weight" f32\[10000, 5\] takes 0\.2 MiB, .* 0\.1 MiB at once; use a/,
    wide,
    small,
  );
  refusesVariant(/model: the parameter "fc1\.weight" f32\[15000, 5\] takes 0\.3 MiB, .* at most 0\.2 MiB .* "O3"/, {
    model: mlp({ hidden: [15000], classes: 3 }),
  }, {
    ...DEFAULT_TRAITS,
    maxStorageBindingBytes: 250000, // enough for what the layer returns
  });
  const short = { ...DEFAULT_TRAITS, maxBufferBytes: 4096 };
  refusesVariant(
    /sink: the batches of 100 steps take 8000 bytes, but a buffer of this adapter holds at most 4096 bytes; lower sink/,
    { sink: 100 },
    short,
  );
  refusesVariant(/model: its parameters take 0\.\d MiB/, { model: mlp({ hidden: [5000], classes: 3 }) }, short);
  const narrow = { ...DEFAULT_TRAITS, maxWorkgroupsPerDimension: 3 };
  const square = layer((x) => flatten()(matmul(reshape([8, 4])(x), reshape([4, 8])(x))));
  refusesVariant(/model: "matmul" needs 1 x 1 x 4 workgroups, but this adapter takes at most 3 in each dimension/, {
    model: square,
    data: classified([32], 3, 22),
  }, narrow);
});

Deno.test("candidates that exceed the adapter's limits are left out", () => {
  const odd = sequential({ conv: conv2d(6, { kernel: 3, groups: 6 }), flatten: flatten(), fc: linear(3) });
  const config = configOf({ model: odd, data: classified([6, 20, 20], 3, 22) });
  const offered = (traits: DeviceTraits) =>
    tuningTasks(config, describeDataset(config.data), traits).flatMap(({ candidates }) => candidates);
  const most = (plans: readonly KernelPlan[]) => Math.max(...plans.flatMap(({ workspace }) => workspace));
  const limit = 60000;
  const [all, few] = [offered(DEFAULT_TRAITS), offered({ ...DEFAULT_TRAITS, maxStorageBindingBytes: limit })];
  assert.ok(most(all) > limit, "the padded copy of an odd number of channels");
  assert.ok(most(few) <= limit && few.length > 0);
});
