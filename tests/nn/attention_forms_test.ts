/** Training with composed and with tiled attention. */
import assert from "node:assert/strict";
import {
  type AttentionOptions,
  createTrainer,
  linear,
  meanSquaredError,
  multiHeadAttention,
  type ScenarioDefinition,
  sequential,
  sgd,
  tensors,
} from "../../mod.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { tuningTasks } from "../../runtime/engine/tuning/tasks.ts";
import type { AttentionSetting } from "../../runtime/graph/types.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { normals } from "../support/reference/random.ts";

const [T, FEATURES, STEPS] = [37, 16, 4];

function training(options: AttentionOptions, attention: AttentionSetting): ScenarioDefinition<Record<never, never>> {
  return {
    name: "attention",
    model: sequential({ attention: multiHeadAttention(options), again: multiHeadAttention(options), out: linear(3) }),
    loss: meanSquaredError(),
    optimizer: sgd({ learningRate: 0.5 }),
    data: tensors({
      input: { shape: [T, FEATURES], data: normals(8 * T * FEATURES, 1) },
      target: { shape: [T, 3], data: normals(8 * T * 3, 2) },
    }),
    loader: { batchSize: 2 },
    compile: { attention },
  };
}

interface Trained {
  readonly losses: number[];
  readonly output: Float32Array;
  readonly gradients: Map<string, Float32Array>;
}

async function train(options: AttentionOptions, attention: AttentionSetting): Promise<Trained> {
  await using trainer = await createTrainer(training(options, attention), { keepGradients: true });
  const losses: number[] = [];
  for (let step = 0; step < STEPS; step++) losses.push((await trainer.step()).loss!);
  const gradients = await trainer.gradients();
  const output = await trainer.forward({ shape: [2, T, FEATURES], data: normals(2 * T * FEATURES, 3) });
  return {
    losses,
    output: output.data as Float32Array,
    gradients: new Map([...gradients].map(([name, { data }]) => [name, data as Float32Array])),
  };
}

const CASES: readonly AttentionOptions[] = [
  { heads: 2, causal: true, dropout: 0.2, rotary: true },
  { heads: 2, kvHeads: 1, causal: true, window: 5 },
];

for (const options of CASES) {
  Deno.test(`tiled and composed attention have the same losses: ${JSON.stringify(options)}`, async () => {
    const composed = await train(options, "composed");
    const tiled = await train(options, "tiled");
    composed.losses.forEach((loss, step) => {
      assert.ok(Math.abs(tiled.losses[step]! - loss) <= 1e-5 * loss, `step ${step}: ${tiled.losses[step]}, ${loss}`);
    });
    composed.output.forEach((value, i) => assert.ok(Math.abs(tiled.output[i]! - value) < 1e-4));
    for (const [name, gradient] of composed.gradients) {
      const norm = Math.hypot(...gradient);
      const distance = Math.hypot(...gradient.map((value, i) => value - tiled.gradients.get(name)![i]!));
      assert.ok(distance <= 1e-4 * norm, `${name}: ${distance} of ${norm}`);
    }
  });
}

Deno.test("tiled attention computes the same bits every time", async () => {
  const options = { heads: 2, causal: true, dropout: 0.2, rotary: true };
  const [first, second] = [await train(options, "tiled"), await train(options, "tiled")];
  assert.deepEqual(second, first);
});

Deno.test("autotune chooses among tiles of attention, once for layers of one shape", () => {
  const { config } = resolveScenario(training({ heads: 2, causal: true }, "tiled")).variants[0]!;
  const tasks = tuningTasks(config, describeDataset(config.data), { ...DEFAULT_TRAITS, class: "cpu" });
  for (const type of ["tiled_attention", "tiled_attention_grad"]) {
    const [task, ...others] = tasks.filter(({ op }) => op === type);
    assert.equal(others.length, 0);
    assert.equal(task!.nodes.length, 2);
    assert.deepEqual(new Set(task!.candidates.map(({ name }) => name)).size, 2);
  }
});
