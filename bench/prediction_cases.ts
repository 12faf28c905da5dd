/**
 * Slow trainings, each with a fault that advice should find. Small, so that all of them take some minutes. Each rule of
 * `runtime/analysis/advice/` is in the list of a case; a test checks that.
 *
 * @module
 */
import {
  adamW,
  conv2d,
  crossEntropy,
  defineOp,
  flatten,
  globalAvgPool2d,
  gpt,
  layer,
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
import { launcherOf } from "../runtime/cluster/launcher.ts";

export type Training = ScenarioDefinition<Record<never, never>>;
type Settings = Partial<Training>;

/** Settings that do what advice without changes of settings says. */
export interface Fix {
  readonly settings: Settings;
  /** True if the prediction is for equal work: the gain is in floating-point operations per second, not in samples. */
  readonly equalWork?: boolean;
}

/** A slow training. */
export interface PredictionCase {
  readonly name: string;
  /** Rules whose predictions it is for. Other rules that find something are scored too. */
  readonly rules: readonly string[];
  readonly training: Training;
  /** Settings of a variant that runs beside it, for rules that compare with the baseline. */
  readonly baseline?: Settings;
  /** By rule. */
  readonly fixes?: Readonly<Record<string, Fix>>;
  /** Number of ranks. Default 1. */
  readonly ranks?: number;
  /** Network that connects the ranks, as in `TACHO_NETWORK`. */
  readonly network?: string;
}

const CLASSES = 10;

const chain = sequential(
  flatten(),
  ...Array.from({ length: 8 }, () => sequential(linear(16), relu())),
  linear(CLASSES),
);

/** Convolutions with these numbers of channels. */
const convolutions = (...channels: readonly number[]) =>
  sequential(
    ...channels.map((each) => sequential(conv2d(each, { kernel: 3, padding: 1 }), relu())),
    globalAvgPool2d(),
    flatten(),
    linear(CLASSES),
  );

const activations = sequential(tanh(), sigmoid(), tanh(), sigmoid(), tanh(), flatten(), linear(CLASSES));

const transformer = (options: Partial<Parameters<typeof gpt>[0]> = {}) =>
  gpt({ layers: 1, heads: 2, width: 32, context: 128, vocabulary: 64, ...options });

const text = (context = 128, vocabulary = 64) =>
  tokens({ array: Int32Array.from({ length: 8192 }, (_, i) => (i * i + 3 * i) % 64), context, vocabulary });

const images = (options: Partial<Parameters<typeof syntheticImages>[0]> = {}) =>
  syntheticImages({ height: 32, width: 32, classes: CLASSES, length: 2048, ...options });

const features = 1024;

const rows = tensors({
  input: { shape: [features], data: new Float32Array(256 * features).fill(0.1) },
  target: { data: new Int32Array(256) },
  classes: CLASSES,
});

const slow = (name: string, settings: Settings): Training => ({
  name,
  model: convolutions(16, 16, 16),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01 }),
  data: images(),
  loader: { batchSize: 8 },
  ...settings,
});

/** Sleeps without taking a core. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Takes much longer for one image in 64, as a large file among small ones does. */
const bursty = t.map(function bursty({ index }) {
  if (index % 64 === 0) sleep(400);
}, { module: import.meta.url });

/** Delays each image on rank 1. */
const tardy = t.map(function tardy() {
  if (launcherOf()?.rank === 1) sleep(1);
}, { module: import.meta.url });

/** Terms of an op that is not slow. */
const FEW = 2;

/** Sums cos(k x) for k = 1 to `terms`, which costs much more than is declared; the gradient leaves most terms out. */
const ripple = (terms: number) => {
  const waves = (name: string, wave: string, most = terms) => `
    var ${name} = 0.0;
    for (var k = 1u; k <= ${most}u; k++) { ${name} += ${wave}; }`;
  const gradient = defineOp({
    type: "ripple_grad",
    inputs: ["dy", "x"],
    outputs: ["dx"],
    shape: ({ x }) => ({ dx: x.shape }),
    cost: ({ x }) => x.size,
    kernels: [{
      name: "elements",
      invocations: ({ x }) => x.size,
      code: `let x = load_x(index);
        ${waves("slope", "-sin(f32(k) * x)", FEW)}
        store_dx(index, load_dy(index) * slope / ${FEW}.0);`,
    }],
  });
  return defineOp({
    type: "ripple",
    inputs: ["x"],
    shape: ({ x }) => ({ y: x.shape }),
    cost: ({ x }) => x.size,
    gradient: ({ inputs: { x }, gradients: { y: dy } }) => ({ x: gradient(dy, x) }),
    kernels: [{
      name: "elements",
      invocations: ({ x }) => x.size,
      code: `let x = load_x(index);
        ${waves("sum", "cos(f32(k) * x)")}
        store_y(index, sum / ${terms}.0);`,
    }],
  });
};

/** Returns a net of two convolutions with a `ripple` of `terms` terms after the first. */
const rippled = (terms: number) => {
  const op = ripple(terms);
  return sequential(
    sequential(conv2d(16, { kernel: 3, padding: 1 }), layer((x) => op(x) as typeof x), relu()),
    sequential(conv2d(16, { kernel: 3, padding: 1 }), relu()),
    globalAvgPool2d(),
    flatten(),
    linear(CLASSES),
  );
};

const augmentation = [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")];

const attention = { model: transformer(), optimizer: adamW({ learningRate: 1e-3 }), data: text() };

const ranked = {
  model: sequential(flatten(), linear(256), relu(), linear(256), relu(), linear(CLASSES)),
  data: images({ channels: 1, height: 16, width: 16 }),
  loader: { batchSize: 16 },
};

/** Cases by the name of the main fault. */
export const CASES: readonly PredictionCase[] = [
  {
    name: "losses-read-each-step",
    rules: ["monitor", "sink"],
    training: slow("losses-read-each-step", { model: chain, monitor: "step" }),
  },
  { name: "small-batches", rules: ["batch-size", "sink"], training: slow("small-batches", { model: chain }) },
  { name: "small-sinks", rules: ["sink-size"], training: slow("small-sinks", { model: chain, sink: 2 }) },
  {
    name: "one-slow-worker",
    rules: ["more-workers", "cache-samples"],
    training: slow("one-slow-worker", {
      model: chain,
      data: images({ delay: { read: 3 } }),
      loader: { batchSize: 8, numWorkers: 1 },
    }),
  },
  {
    name: "slow-reads",
    rules: ["more-workers", "cache-samples"],
    training: slow("slow-reads", { model: chain, data: images({ delay: { read: 1 }, length: 128 }) }),
  },
  {
    name: "slow-transform",
    rules: ["slow-stage", "more-workers"],
    training: slow("slow-transform", {
      model: chain,
      data: images({ transforms: [{ ...t.randomHorizontalFlip(), delay: 2 }], fuse: false }),
      loader: { batchSize: 8, numWorkers: 1 },
    }),
    fixes: { "slow-stage": { settings: { data: images({ transforms: [t.randomHorizontalFlip()], fuse: false }) } } },
  },
  {
    name: "cloned-batches",
    rules: ["shared-memory"],
    training: slow("cloned-batches", {
      model: chain,
      data: images({ height: 64, width: 64, length: 256 }),
      loader: { batchSize: 64, numWorkers: 1, sharedMemory: false },
    }),
  },
  {
    name: "short-queue",
    rules: ["larger-prefetch"],
    training: slow("short-queue", {
      data: images({ transforms: [bursty], length: 512 }),
      loader: { batchSize: 8, numWorkers: 2, prefetch: 1, shuffle: false },
    }),
  },
  {
    name: "unfused-transforms",
    rules: ["fuse-transforms", "placement"],
    training: slow("unfused-transforms", {
      model: chain,
      data: images({ fuse: false, transforms: augmentation }),
      loader: { batchSize: 64 },
    }),
  },
  {
    name: "conversions-back-and-forth",
    rules: ["reorder-transforms"],
    training: slow("conversions-back-and-forth", {
      model: chain,
      data: images({ fuse: false, transforms: [t.chwToHwc(), t.hwcToChw(), t.toF32(), t.randomCrop(32), t.toU8()] }),
      loader: { batchSize: 64 },
    }),
  },
  {
    name: "unfused-ops",
    rules: ["fuse-ops"],
    training: slow("unfused-ops", { model: activations, compile: { fusion: false }, loader: { batchSize: 64 } }),
  },
  {
    name: "channels-first",
    rules: ["layout"],
    training: slow("channels-first", { compile: { layout: "nchw" } }),
    baseline: { compile: { layout: "auto" } },
  },
  { name: "full-precision", rules: ["amp"], training: slow("full-precision", {}) },
  { name: "half-precision", rules: ["slower-in-f16"], training: slow("half-precision", { amp: "O2" }) },
  {
    name: "slow-kernel",
    rules: ["slow-op"],
    training: slow("slow-kernel", { model: rippled(256) }),
    fixes: { "slow-op": { settings: { model: rippled(FEW) } } },
  },
  {
    name: "odd-channels",
    rules: ["align"],
    training: slow("odd-channels", { model: convolutions(16, 16, 17, 17, 16, 16) }),
    fixes: { align: { settings: { model: convolutions(16, 16, 24, 24, 16, 16) }, equalWork: true } },
  },
  {
    name: "composed-attention",
    rules: ["tiled-attention", "autotune"],
    training: slow("composed-attention", { ...attention, compile: { attention: "composed" } }),
  },
  {
    name: "long-sequences",
    rules: ["sequence-length"],
    training: slow("long-sequences", {
      ...attention,
      model: transformer({ context: 512 }),
      data: text(512),
      loader: { batchSize: 2 },
    }),
    fixes: {
      "sequence-length": {
        settings: { model: transformer({ context: 256 }), data: text(256), loader: { batchSize: 4 } },
      },
    },
  },
  {
    name: "large-vocabulary",
    rules: ["vocabulary"],
    training: slow("large-vocabulary", {
      ...attention,
      model: transformer({ context: 64, vocabulary: 2048 }),
      data: text(64, 2048),
    }),
    fixes: {
      vocabulary: { settings: { model: transformer({ context: 64, vocabulary: 1024 }), data: text(64, 1024) } },
    },
  },
  // Activations are most of the memory, and twice as many do not fit
  {
    name: "activations-in-little-memory",
    rules: ["recompute", "accumulate"],
    training: slow("activations-in-little-memory", {
      model: transformer({ layers: 4, context: 32 }),
      data: text(32),
      loader: { batchSize: 4 },
      memoryBudget: "3MiB",
    }),
  },
  // Most of the step is the update
  {
    name: "long-update",
    rules: ["larger-batch"],
    training: slow("long-update", {
      model: sequential(linear(features), relu(), linear(features), relu(), linear(CLASSES)),
      optimizer: adamW({ learningRate: 1e-3 }),
      data: rows,
      loader: { batchSize: 2 },
    }),
  },
  {
    name: "slow-network",
    rules: ["ranks-bucket", "ranks-overlap", "ranks-compress", "ranks-batch"],
    training: slow("slow-network", { ...ranked, distribute: { bucket: 128 * 1024 } }),
    ranks: 2,
    network: "4ms,40MB/s",
  },
  {
    name: "slow-rank",
    rules: ["ranks-slow"],
    training: slow("slow-rank", {
      ...ranked,
      data: images({ channels: 1, height: 16, width: 16, transforms: [tardy] }),
      distribute: true,
    }),
    ranks: 2,
    fixes: { "ranks-slow": { settings: { data: ranked.data } } },
  },
];
