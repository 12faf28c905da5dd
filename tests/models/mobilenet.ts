import { type MobilenetStage, mobilenetV2 as makeV2, mobilenetV3 as makeV3 } from "../../mod.ts";
import { add, flatten, hardSigmoid, hardSwish, relu, relu6, scaleChannels } from "../support/reference/elementwise.ts";
import { convLayer, dropoutLayer, linearLayer, normLayer } from "../support/reference/layers.ts";
import type { Pass } from "../support/reference/network.ts";
import { bySgd } from "./optimizers.ts";
import { globalAvgPool2d } from "../support/reference/pool.ts";
import type { Tape, Value } from "../support/reference/value.ts";
import type { ModelCase } from "./case.ts";
import { entropy } from "./losses.ts";

type Activation = (tape: Tape, x: Value) => Value;

interface ConvNorm {
  readonly kernel?: number;
  readonly stride?: number;
  readonly groups?: number;
  readonly norm?: { readonly epsilon: number; readonly momentum: number };
}

function convNorm(
  pass: Pass,
  [conv, norm]: readonly [string, string],
  x: Value,
  { kernel = 1, stride = 1, groups = 1, norm: settings = { epsilon: 1e-5, momentum: 0.1 } }: ConvNorm = {},
): Value {
  const half = (kernel - 1) / 2;
  const y = convLayer(pass, conv, x, { bias: false, padding: [half, half], stride: [stride, stride], groups });
  return normLayer(pass, norm, y, settings);
}

/** Returns the names of the convolution and the norm of a numbered group. */
const both = (name: string) => [`${name}.0`, `${name}.1`] as const;

const SETTINGS = {
  batchSize: 6,
  input: [3, 15, 13],
  target: { classes: 4 },
  loss: entropy(),
  // Without offsets, the means of many channels are exactly 0
  noise: 0.02,
  optimizer: bySgd({ learningRate: 1e-3, momentum: 0.9, weightDecay: 4e-5 }),
} as const;

/** Stages of a shorter MobileNetV2: blocks with and without expansion, with and without their input added. */
const V2_STAGES: MobilenetStage[] = [
  { expansion: 1, channels: 16, blocks: 1, stride: 1 },
  { expansion: 6, channels: 24, blocks: 2, stride: 2 },
  { expansion: 3, channels: 32, blocks: 1, stride: 1 },
];

const V2_BLOCKS = V2_STAGES.flatMap(({ expansion, blocks, stride }) =>
  Array.from({ length: blocks }, (_, i) => ({ expansion, stride: i === 0 ? stride : 1 }))
);

function v2Block(pass: Pass, name: string, x: Value, { expansion, stride }: (typeof V2_BLOCKS)[number]): Value {
  const { tape } = pass;
  const wide = expansion === 1 ? x : relu6(tape, convNorm(pass, both(`${name}.0`), x));
  const at = expansion === 1 ? 0 : 1;
  const filtered = convNorm(pass, both(`${name}.${at}`), wide, { kernel: 3, stride, groups: wide.shape[1]! });
  return convNorm(pass, [`${name}.${at + 1}`, `${name}.${at + 2}`], relu6(tape, filtered));
}

/** A MobileNetV2 with fewer stages: the whole network is chaotic with few channels, and gradients grow to hundreds. */
export const mobilenetV2: ModelCase = {
  ...SETTINGS,
  name: "mobilenet v2",
  model: makeV2({ classes: 4, width: 0.5, stages: V2_STAGES }),
  reference: (pass, x) => {
    const { tape } = pass;
    let y = relu6(tape, convNorm(pass, both("features.0"), x, { kernel: 3, stride: 2 }));
    V2_BLOCKS.forEach((block, i) => {
      const body = v2Block(pass, `features.${i + 1}.conv`, y, block);
      y = body.shape.join() === y.shape.join() ? add(tape, y, body) : body;
    });
    const last = relu6(tape, convNorm(pass, both(`features.${V2_BLOCKS.length + 1}`), y));
    const rows = flatten(tape, globalAvgPool2d(tape, last));
    return linearLayer(pass, "classifier.1", dropoutLayer(pass, "classifier.0", rows, 0.2));
  },
  tolerance: 1e-4,
};

const NORM = { epsilon: 1e-3, momentum: 0.01 };

interface V3Block {
  readonly kernel: number;
  readonly stride: number;
  readonly wider: boolean;
  readonly squeeze: boolean;
  readonly activation: Activation;
}

function v3Block(pass: Pass, name: string, x: Value, block: V3Block): Value {
  const { tape } = pass;
  const { kernel, stride, wider, squeeze, activation } = block;
  let at = 0;
  const next = () => `${name}.${at++}`;
  let y = wider ? activation(tape, convNorm(pass, both(next()), x, { norm: NORM })) : x;
  const filtered = convNorm(pass, both(next()), y, { kernel, stride, groups: y.shape[1]!, norm: NORM });
  y = activation(tape, filtered);
  if (squeeze) {
    const path = next();
    const inner = relu(tape, convLayer(pass, `${path}.fc1`, globalAvgPool2d(tape, y)));
    y = scaleChannels(tape, y, hardSigmoid(tape, convLayer(pass, `${path}.fc2`, inner)));
  }
  return convNorm(pass, both(next()), y, { norm: NORM });
}

/** The paper's small network: kernel, stride, squeeze-and-excitation and activation of its blocks. */
const V3_BLOCKS: readonly (readonly [number, number, boolean, Activation])[] = [
  [3, 2, true, relu],
  [3, 2, false, relu],
  [3, 1, false, relu],
  [5, 2, true, hardSwish],
  ...Array.from({ length: 4 }, () => [5, 1, true, hardSwish] as const),
  [5, 2, true, hardSwish],
  [5, 1, true, hardSwish],
  [5, 1, true, hardSwish],
];

/** The small MobileNetV3 with a quarter of the channels. */
export const mobilenetV3: ModelCase = {
  ...SETTINGS,
  name: "mobilenet v3",
  model: makeV3({ size: "small", classes: 4, width: 0.25, stem: "cifar" }),
  reference: (pass, x) => {
    const { tape } = pass;
    let y = hardSwish(tape, convNorm(pass, both("features.0"), x, { kernel: 3, norm: NORM }));
    V3_BLOCKS.forEach(([kernel, stride, squeeze, activation], i) => {
      const body = v3Block(pass, `features.${i + 1}.block`, y, { kernel, stride, wider: i > 0, squeeze, activation });
      y = body.shape.join() === y.shape.join() ? add(tape, y, body) : body;
    });
    const last = hardSwish(tape, convNorm(pass, both("features.12"), y, { norm: NORM }));
    const hidden = hardSwish(tape, linearLayer(pass, "classifier.0", flatten(tape, globalAvgPool2d(tape, last))));
    return linearLayer(pass, "classifier.3", dropoutLayer(pass, "classifier.2", hidden, 0.2));
  },
  tolerance: 1e-4,
};
