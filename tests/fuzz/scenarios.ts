import { join } from "node:path";
import {
  adam,
  conv2d,
  crossEntropy,
  embedding,
  flatten,
  linear,
  meanSquaredError,
  type ModelData,
  relu,
  sequential,
  sgd,
  syntheticImages,
  text,
  tokens,
  transforms as t,
} from "../../mod.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { planOne } from "../../runtime/experiment/planning.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import type { RandomStream } from "../../runtime/core/random.ts";
import { chance, changed, drawValue, isPlain, NUMBERS, pick, TEXTS } from "./draws.ts";
import { type Fuzzer, survives } from "./fuzzer.ts";
import { HOSTILE } from "./hostile_values.ts";

const data = syntheticImages({
  height: 6,
  width: 6,
  channels: 1,
  classes: 3,
  length: 64,
  transforms: [t.normalize({ mean: [0], std: [1] })],
});

const ids = Uint8Array.from({ length: 90 }, (_, i) => i % 9);

const TEXT = join(import.meta.dirname!, "scenarios.ts");

/** Scenarios of plain data but for their model; every setting is in one of them. */
const SCENARIOS: readonly Record<string, unknown>[] = [
  {
    name: "plain",
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1, momentum: 0.9, weightDecay: 1e-4 }),
    data,
    loader: { batchSize: 8, numWorkers: 0, prefetch: 2, shuffle: true, dropLast: true, timeout: 10 },
    amp: { level: "O2", scaler: { init: 1024, growth: 2, interval: 100, backoff: 0.5 }, keepF32: ["fc"] },
    sink: 2,
    compile: { fusion: true, autotune: false, layout: "auto", inPlace: true, attention: "auto" },
    measure: { steps: 2, skip: 1, rounds: 2, precision: 0.1, maxTime: 10, minEffect: 0.01 },
    memoryBudget: "1GiB",
    seed: 1,
  },
  {
    name: "variants",
    loss: crossEntropy({ labelSmoothing: 0.1 }),
    optimizer: adam({ learningRate: 1e-3 }),
    data,
    loader: { batchSize: 4 },
    evaluate: { every: 2 },
    variants: {
      baseline: {},
      workers: { loader: { numWorkers: 2 } },
      sink: { sink: 10, amp: "O3" },
      all: { loader: { batchSize: 2 }, compile: { autotune: { start: 1, stop: 3 } } },
    },
  },
  {
    name: "sweep",
    data,
    loader: { batchSize: 4 },
    sweep: { sink: [0, 2], amp: ["O0", "O2"] },
    baseline: "sink=0,amp=O0",
  },
  {
    name: "tokens",
    model: (_: unknown, { classes }: ModelData) => sequential(embedding(classes, 4), linear(classes)),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: tokens({ array: ids, test: ids, vocabulary: 9, context: 4, stride: 3, testFraction: 0.2 }),
    loader: { batchSize: 4 },
    evaluate: { every: 1 },
  },
  {
    name: "text",
    model: null,
    data: text({ file: TEXT, tokenizer: "characters", context: 4 }),
    variants: { baseline: {}, bytes: { data: { tokenizer: "bytes", stride: 2 } } },
  },
];

const MODELS = [
  sequential({ flatten: flatten(), fc: linear(3) }),
  sequential({ conv: conv2d(4, { kernel: 3, padding: 1 }), relu: relu(), flatten: flatten(), fc: linear(3) }),
];

const PATHS = [
  "loader.batchSize",
  "loader",
  "amp",
  "amp.level",
  "sink",
  "seed",
  "optimizer.learningRate",
  "data.height",
  "data.context",
  "data.tokenizer",
  "data.testFraction",
]
  .concat("measure.steps", "unknown", "", "variants", "compile.fusion", "data", "model", "loader.batchSize.more");

const TARGET = { traits: DEFAULT_TRAITS, adapterName: "none", memory: { bytes: null, source: "" } };

/** Scenarios with wrong, extreme and unreadable values, resolved and compiled. */
export const scenarios: Fuzzer = {
  name: "scenarios",
  few: 300,
  begin: () => async (random) => {
    let definition: unknown = pick(random, SCENARIOS);
    for (let i = random.below(2); i >= 0; i--) definition = changed(random, definition, drawAnything);
    if (isPlain(definition) && chance(random, 0.9)) {
      definition = { model: pick(random, MODELS), ...definition };
    }
    const overrides = chance(random, 0.5) ? [] : Array.from({ length: 1 + random.below(3) }, () => override(random));
    const resolved = await survives(
      `overrides ${JSON.stringify(overrides)}`,
      () => resolveScenario(definition as never, { overrides }),
    );
    for (const variant of resolved?.variants.slice(0, 3) ?? []) {
      if (isLarge(variant.config)) continue;
      await survives(`variant ${variant.name}`, () => void planOne(variant, TARGET));
    }
  },
};

function override(random: RandomStream): string {
  const texts = PLAUSIBLE.filter((value) => typeof value !== "function" && typeof value !== "object").map(String);
  const values = Array.from(
    { length: 1 + random.below(3) },
    () => chance(random, 0.7) ? pick(random, texts) : String(pick(random, [...NUMBERS, ...TEXTS])),
  );
  return chance(random, 0.95) ? `${pick(random, PATHS)}=${values.join(",")}` : pick(random, TEXTS);
}

/** Values that some setting takes. */
const PLAUSIBLE: readonly unknown[] = [
  ...[
    0,
    1,
    2,
    3,
    5,
    7,
    16,
    63,
    64,
    65,
    100,
    0.1,
    0.5,
    true,
    false,
    null,
    "O0",
    "O1",
    "O2",
    "O3",
    "epoch",
    "auto",
    "nchw",
  ],
  ...["nhwc", "1KiB", "64MiB", "step", "infer", "train", "a", {}, [], ["a"], { level: "O3" }, sgd({ learningRate: 1 })],
  ...[linear(5), relu(), crossEntropy(), meanSquaredError(), flatten(), conv2d(4, { kernel: 3 }), () => linear(3)],
];

function drawAnything(random: RandomStream): unknown {
  const draw = random.uniform();
  if (draw < 0.5) return pick(random, PLAUSIBLE);
  return draw < 0.7 ? pick(random, HOSTILE)() : drawValue(random);
}

/** Returns true for a data set whose description alone would take minutes, such as a billion labels. */
function isLarge({ data }: { data: unknown }): boolean {
  const { length = 0, height = 0, width = 0 } = data as Record<string, number>;
  return length > 1e6 || height * width > 1e6;
}
