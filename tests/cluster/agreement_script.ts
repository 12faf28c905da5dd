/**
 * Trainings that must agree: each variant on one rank, and the same on all ranks with the suffix `-ranks`. One sample has
 * inputs that overflow with `amp`, so that a step overflows on one rank alone.
 */
import {
  crossEntropy,
  flatten,
  gpt,
  lenet,
  linear,
  relu,
  resnet,
  run,
  scenario,
  schedules,
  sequential,
  sgd,
  tensors,
  tokens,
  type VariantDefinition,
  z,
} from "../../mod.ts";

/** Samples in a batch of all ranks, and in the part of each of four ranks. */
const BATCH = 16;
const PART = BATCH / 4;

const SAMPLES = 96;

/** Index of the sample whose gradients overflow in f16. */
const EXTREME = 40;

function images(shape: readonly number[], classes: number, extreme = false) {
  const size = shape.reduce((a, b) => a * b);
  const split = (count: number, first: number) => ({
    input: {
      shape: [...shape],
      data: Float32Array.from({ length: count * size }, (_, i) => {
        const value = 2 * (Math.sin((first + i) * 12.9898) * 43_758.5453 % 1);
        return extreme && Math.floor(i / size) === EXTREME ? 10_000 * value : value;
      }),
    },
    target: { data: Int32Array.from({ length: count }, (_, i) => i % classes) },
  });
  return tensors({ ...split(SAMPLES, 0), test: split(16, 7), classes });
}

const PARAMS = { kind: z.enum(["mlp", "lenet", "gpt", "resnet", "extreme"]).default("mlp") };

type Training = VariantDefinition<typeof PARAMS>;

/** Settings of a training that are not those of the others, all at once. */
const TOGETHER: Training = {
  loader: { batchSize: BATCH / 2, numWorkers: 1, prefetch: 1, sharedMemory: false },
  accumulate: 2,
  clipNorm: 0.05,
  schedule: schedules.oneCycle({ steps: 15 }),
  groups: [{ match: "vectors", learningRate: 0.05 }],
  ema: true,
  recompute: ["*"],
  data: { cache: "memory" },
  monitor: "step",
  timing: "event",
  compile: { fusion: false, inPlace: false },
};

/** Settings of the trainings by name. */
const TRAININGS: Readonly<Record<string, Training>> = {
  mlp: {},
  lenet: { params: { kind: "lenet" } },
  gpt: { params: { kind: "gpt" } },
  // One rank that normalizes in groups of a rank's part: its micro-batches are the parts of the batch. Its steps are small,
  // since normalization over four samples amplifies rounding errors: at a rate of 1e-4 losses differ by 5e-5 after 18 steps
  resnet: { params: { kind: "resnet" }, optimizer: { learningRate: 1e-5 } },
  accumulate: { loader: { batchSize: BATCH / 2 }, accumulate: 2, clipNorm: 0.05 },
  schedule: { schedule: schedules.cosine({ steps: 12 }) },
  groups: { groups: [{ match: "*.bias", learningRate: 0.01 }] },
  ema: { ema: { decay: 0.9 }, evaluate: { every: 1 } },
  recompute: { recompute: ["*"] },
  together: TOGETHER,
  "together-amp": {
    ...TOGETHER,
    amp: { level: "O2", scaler: { init: 1024 } },
    compile: { autotune: { start: 0, stop: 2, seconds: 2 } },
  },
  overflow: { params: { kind: "extreme" }, amp: { level: "O2", scaler: { init: 1024 } } },
};

const variants = Object.entries(TRAININGS).flatMap(([name, settings]): [string, Training][] => [
  [name, name === "resnet" ? { ...settings, loader: { batchSize: PART }, accumulate: 4 } : settings],
  [`${name}-ranks`, { ...settings, distribute: { bucket: 1024 } }],
]);

export default scenario({
  name: "agreement",
  params: PARAMS,
  model: ({ kind }) => {
    if (kind === "lenet") return lenet({ classes: 4 });
    if (kind === "gpt") return gpt({ layers: 1, heads: 2, width: 16, context: 8, vocabulary: 7 });
    if (kind === "resnet") return resnet({ depth: 20, classes: 4 });
    return sequential(flatten(), linear(32), relu(), linear(4));
  },
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
  data: ({ kind }) => {
    if (kind === "gpt") return tokens({ array: Uint8Array.from({ length: 2000 }, (_, i) => i * i % 7), context: 8 });
    if (kind === "lenet") return images([1, 28, 28], 4);
    return images(kind === "resnet" ? [3, 8, 8] : [1, 8, 8], 4, kind === "extreme");
  },
  loader: { batchSize: BATCH },
  measure: { steps: 5, skip: 2, maxSkip: 2, rounds: 2, aa: false, setups: 1 },
  variants: Object.fromEntries(variants),
});

if (import.meta.main) await run();
