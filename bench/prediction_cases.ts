/**
 * Slow trainings, each with a setting that advice should find. Small, so that all of them take some minutes.
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
  sigmoid,
  syntheticImages,
  tanh,
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
  ...Array.from({ length: 3 }, () => sequential(conv2d(16, { kernel: 3, padding: 1 }), relu())),
  globalAvgPool2d(),
  flatten(),
  linear(CLASSES),
);

const activations = sequential(tanh(), sigmoid(), tanh(), sigmoid(), tanh(), flatten(), linear(CLASSES));

const transformer = (options: Partial<Parameters<typeof gpt>[0]> = {}) =>
  gpt({ layers: 1, heads: 2, width: 32, context: 128, vocabulary: 64, ...options });

const text = (context = 128) =>
  tokens({
    array: Int32Array.from({ length: 4096 }, (_, i) => (i * i + 3 * i) % 64),
    context,
    vocabulary: 64,
  });

const images = (options: Partial<Parameters<typeof syntheticImages>[0]> = {}) =>
  syntheticImages({ height: 32, width: 32, classes: CLASSES, length: 2048, ...options });

const features = 1024;

const rows = tensors({
  input: { shape: [features], data: new Float32Array(256 * features).fill(0.1) },
  target: { data: new Int32Array(256) },
  classes: CLASSES,
});

const slow = (name: string, settings: Partial<Case>): Case => ({
  name,
  model: chain,
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01 }),
  data: images(),
  loader: { batchSize: 8 },
  ...settings,
});

/** Burns the time of one image in 64, as a large one among small ones does. */
const bursty = t.map(function bursty({ data, index }) {
  if (index % 64 !== 0) return;
  for (let i = 0; i < 4e6; i++) data[i % data.length] = (data[i % data.length]! + i) & 255;
}, { module: import.meta.url });

const augmentation = [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")];

/** Cases by the name of the main fault. */
export const CASES: readonly Case[] = [
  slow("losses-read-each-step", { monitor: "step" }),
  slow("small-batches", {}),
  slow("small-sinks", { sink: 2 }),
  slow("one-slow-worker", { data: images({ delay: { read: 3 } }), loader: { batchSize: 8, numWorkers: 1 } }),
  slow("slow-reads", { data: images({ delay: { read: 1 }, length: 128 }) }),
  slow("cloned-batches", {
    data: images({ height: 64, width: 64, length: 256 }),
    loader: { batchSize: 64, numWorkers: 1, sharedMemory: false },
  }),
  slow("short-queue", {
    data: images({ transforms: [bursty], length: 512 }),
    loader: { batchSize: 8, numWorkers: 1, prefetch: 1, shuffle: false },
    model: convolutions,
  }),
  slow("unfused-transforms", { data: images({ fuse: false, transforms: augmentation }), loader: { batchSize: 64 } }),
  slow("conversions-back-and-forth", {
    data: images({ fuse: false, transforms: [t.chwToHwc(), t.hwcToChw(), t.toF32(), t.randomCrop(32), t.toU8()] }),
    loader: { batchSize: 64 },
  }),
  slow("unfused-ops", { model: activations, compile: { fusion: false }, loader: { batchSize: 64 } }),
  slow("channels-first", { model: convolutions, compile: { layout: "nchw" } }),
  slow("half-precision", { model: convolutions, amp: "O2" }),
  slow("composed-attention", {
    model: transformer(),
    optimizer: adamW({ learningRate: 1e-3 }),
    data: text(),
    compile: { attention: "composed" },
  }),
  // Activations are most of the memory, and twice as many do not fit
  slow("activations-in-little-memory", {
    model: transformer({ layers: 4, context: 32 }),
    data: text(32),
    loader: { batchSize: 4 },
    memoryBudget: "3MiB",
  }),
  // Most of the memory is state, and most of the step is the update
  slow("long-update-in-little-memory", {
    model: sequential(linear(features), relu(), linear(features), relu(), linear(CLASSES)),
    optimizer: adamW({ learningRate: 1e-3 }),
    data: rows,
    loader: { batchSize: 2 },
    memoryBudget: "43MiB",
  }),
];
