/**
 * Slow trainings, each with a setting that advice should find.
 *
 * @module
 */
import {
  adamW,
  conv2d,
  crossEntropy,
  flatten,
  globalAvgPool2d,
  gpt,
  linear,
  relu,
  type ScenarioDefinition,
  sequential,
  sgd,
  syntheticImages,
  tensors,
  tokens,
  transforms as t,
} from "../mod.ts";

type Case = ScenarioDefinition<Record<never, never>>;

const CLASSES = 10;

const chain = sequential(
  flatten(),
  ...Array.from({ length: 8 }, () => sequential(linear(16), relu())),
  linear(CLASSES),
);

const convolutions = sequential(
  ...Array.from({ length: 3 }, () => sequential(conv2d(32, { kernel: 3, padding: 1 }), relu())),
  globalAvgPool2d(),
  flatten(),
  linear(CLASSES),
);

const images = (options: Partial<Parameters<typeof syntheticImages>[0]> = {}) =>
  syntheticImages({ height: 32, width: 32, classes: CLASSES, length: 2048, ...options });

const slow = (name: string, settings: Partial<Case>): Case => ({
  name,
  model: chain,
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01 }),
  data: images(),
  loader: { batchSize: 8 },
  ...settings,
});

const features = 1024;

/** Cases by the name of the main fault. */
export const CASES: readonly Case[] = [
  slow("losses-read-each-step", { monitor: "step" }),
  slow("small-batches", {}),
  slow("one-slow-worker", { data: images({ delay: { read: 3 } }), loader: { batchSize: 8, numWorkers: 1 } }),
  slow("unfused-ops", { model: convolutions, compile: { fusion: false } }),
  slow("channels-first", { model: convolutions, compile: { layout: "nchw" } }),
  slow("unfused-transforms", {
    data: images({
      fuse: false,
      transforms: [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")],
    }),
    loader: { batchSize: 64 },
  }),
  slow("composed-attention", {
    model: gpt({ layers: 1, heads: 2, width: 32, context: 128, vocabulary: 64 }),
    optimizer: adamW({ learningRate: 1e-3 }),
    data: tokens({
      array: Int32Array.from({ length: 4096 }, (_, i) => (i * i + 3 * i) % 64),
      context: 128,
      vocabulary: 64,
    }),
    compile: { attention: "composed" },
  }),
  // Most of the memory is state, and most of the step is the update
  slow("long-update-in-little-memory", {
    model: sequential(linear(features), relu(), linear(features), relu(), linear(CLASSES)),
    optimizer: adamW({ learningRate: 1e-3 }),
    data: tensors({
      input: { shape: [features], data: new Float32Array(256 * features).fill(0.1) },
      target: { data: new Int32Array(256) },
      classes: CLASSES,
    }),
    loader: { batchSize: 2 },
    memoryBudget: "43MiB",
  }),
];
