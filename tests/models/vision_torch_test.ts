/**
 * Holds models of images against torchvision, and a U-Net against PyTorch: logits of their weights before and after ten
 * steps, losses, and gradients. Skipped unless `python3` has torchvision.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  createTrainer,
  crossEntropy,
  type Layer,
  mobilenetV2,
  mobilenetV3,
  scenario,
  sgd,
  tensors,
  unet,
  vit,
} from "../../mod.ts";
import { labels, normals } from "../support/reference/random.ts";
import { count } from "../support/reference/value.ts";
import { answersTo, assertGradients, assertNear, findsModule } from "./torch/compare.ts";
import { tempFolder } from "../support/temp_folder.ts";

/** A model with the request that describes it to `torch/vision_models.py`. */
interface TorchCase {
  readonly name: string;
  readonly model: "vit" | "mobilenetV2" | "mobilenetV3" | "unet";
  readonly config: Readonly<Record<string, unknown>>;
  readonly layer: Layer;
  /** Shape of a batch. */
  readonly shape: readonly [number, number, number, number];
  /** Shape of a sample's classes. */
  readonly places: readonly number[];
  readonly learningRate: number;
}

/** Output of `torch/vision_models.py`. */
interface Answer {
  readonly before: readonly number[];
  readonly losses: readonly number[];
  readonly gradients: Readonly<Record<string, readonly number[]>>;
  readonly after: readonly number[];
}

const [CLASSES, STEPS] = [5, 10];

const stages = [
  { expansion: 1, channels: 16, blocks: 1, stride: 1 },
  { expansion: 6, channels: 24, blocks: 2, stride: 2 },
] as const;

const CASES: readonly TorchCase[] = [
  {
    name: "vit",
    model: "vit",
    config: { image: 8, patch: 4, layers: 2, heads: 3, width: 12, hidden: 20, classes: CLASSES },
    layer: vit({ patch: 4, layers: 2, heads: 3, width: 12, hidden: 20, classes: CLASSES }),
    shape: [4, 3, 8, 8],
    places: [],
    learningRate: 0.05,
  },
  {
    name: "mobilenetV2 with two stages",
    model: "mobilenetV2",
    config: { width: 0.5, stages, classes: CLASSES },
    layer: mobilenetV2({ width: 0.5, stages, classes: CLASSES, dropout: 0 }),
    shape: [6, 3, 15, 13],
    places: [],
    learningRate: 0.001,
  },
  {
    name: "small mobilenetV3",
    model: "mobilenetV3",
    config: { size: "small", width: 0.25, classes: CLASSES },
    layer: mobilenetV3({ size: "small", width: 0.25, classes: CLASSES, dropout: 0 }),
    shape: [6, 3, 40, 36],
    places: [],
    learningRate: 0.001,
  },
  ...(["transpose", "bilinear"] as const).map((up): TorchCase => ({
    name: `unet, ${up}`,
    model: "unet",
    config: { inputs: 3, classes: CLASSES, channels: 4, depth: 2, up },
    layer: unet({ classes: CLASSES, channels: 4, depth: 2, up }),
    shape: [3, 3, 9, 14],
    places: [9, 14],
    learningRate: 0.01,
  })),
];

Deno.test({
  name: "models of images load torchvision's weights and train as it does",
  ignore: !await findsModule("torchvision"),
  async fn(t) {
    using temporary = tempFolder("tacho-torchvision-");
    const folder = temporary.path;
    const requests = CASES.map((test, i) => requestOf(test, folder, i));
    const answers = await answersTo<Answer>("vision_models.py", requests, folder);
    for (const [i, test] of CASES.entries()) {
      await t.step(test.name, () => check(test, requests[i]!.weights, answers[i]!));
    }
  },
});

function batchOf({ shape, places }: TorchCase, step: number) {
  return { input: normals(count(shape), 10 + step), target: labels(shape[0] * count(places), CLASSES, 50 + step) };
}

function requestOf(test: TorchCase, folder: string, index: number) {
  const { model, config, shape, places, learningRate } = test;
  const [weights, inputs] = [join(folder, `${index}.safetensors`), join(folder, `${index}.bin`)];
  const batches = Array.from({ length: STEPS }, (_, step) => batchOf(test, step));
  Deno.writeFileSync(inputs, new Uint8Array(Float32Array.from(batches.flatMap(({ input }) => [...input])).buffer));
  const targets = batches.flatMap(({ target }) => [...target]);
  return { model, config, shape, places, learningRate, weights, inputs, targets };
}

async function check(test: TorchCase, weights: string, answer: Answer): Promise<void> {
  const { layer, shape, places, learningRate } = test;
  const first = batchOf(test, 0);
  await using trainer = await createTrainer(
    scenario<Record<never, never>>({
      name: "torchvision",
      model: layer,
      loss: crossEntropy(),
      optimizer: sgd({ learningRate, momentum: 0.9 }),
      data: tensors({
        input: { shape: shape.slice(1), data: first.input },
        target: { shape: places, data: first.target },
        classes: CLASSES,
      }),
      loader: { batchSize: shape[0] },
    }),
    { keepGradients: true },
  );
  await trainer.load(weights, { check: { input: first.input, output: answer.before } });
  assertNear((await trainer.forward(first.input)).data, answer.before, 1e-5, "logits before");
  const losses: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    losses.push((await trainer.step(batchOf(test, step))).loss);
    if (step > 0) continue;
    const gradients = await trainer.gradients();
    assert.deepEqual([...gradients.keys()].sort(), Object.keys(answer.gradients).sort());
    assertGradients(gradients, answer.gradients);
  }
  assertNear(losses, answer.losses, 1e-5, "losses");
  assertNear((await trainer.forward(first.input)).data, answer.after, 1e-3, "logits after");
}
