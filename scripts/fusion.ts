/**
 * Effect of op fusion, for each kind of fusion separately and for all together. The default is a small network in which
 * every kind applies; ResNet and LeNet are alternatives.
 *
 *     deno run -A scripts/fusion.ts
 *     deno run -A scripts/fusion.ts net=resnet20 --variants none,bn-relu,bn-add-relu,all
 */
import {
  add,
  batchNorm,
  cifar10,
  conv2d,
  crossEntropy,
  dropout,
  flatten,
  globalAvgPool2d,
  layer,
  lenet,
  linear,
  relu,
  resnet,
  run,
  scenario,
  sequential,
  sgd,
  sigmoid,
  transforms as t,
  z,
} from "../mod.ts";

const conv = (channels: number, bias: boolean) => conv2d(channels, { kernel: 3, padding: 1, bias });

/** Computes `act(body(x) + x)`. */
function residual(body: ReturnType<typeof sequential>) {
  const activation = relu();
  return layer((x) => activation(add(body(x), x)));
}

/** A convolutional network that contains every combination of ops that can be fused. */
function mixed(channels: number) {
  return sequential({
    stem: conv(channels, true),
    relu: relu(), // bias-activation
    normed: sequential({ conv: conv(channels, false), bn: batchNorm(), relu: relu() }), // bn-relu
    block: residual(sequential({ conv: conv(channels, false), bn: batchNorm() })), // bn-add-relu
    plain: residual(sequential({ conv: conv(channels, true) })), // add-relu
    gate: sequential({ pool: globalAvgPool2d(), flatten: flatten(), fc: linear(256) }),
    drop: sequential({ sigmoid: sigmoid(), dropout: dropout(0.1) }), // elementwise
    fc: linear(10),
  });
}

export default scenario({
  name: "fusion",
  params: {
    net: z.enum(["mixed", "resnet20", "lenet"]).default("mixed").describe("network to train"),
    channels: z.coerce.number().default(16).describe("channels of the mixed network"),
  },
  model: ({ net, channels }) =>
    net === "mixed" ? mixed(channels) : net === "lenet" ? lenet({ classes: 10 }) : resnet({ depth: 20, classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05, momentum: 0.9 }),
  data: cifar10({ transforms: [t.normalize("cifar10")] }),
  loader: { batchSize: 32 },
  measure: { steps: 5, skip: 2, rounds: 8 },
  variants: {
    none: { compile: { fusion: false } },
    "bias-activation": { compile: { fusion: ["bias-activation"] } },
    "bn-relu": { compile: { fusion: ["bn-relu"] } },
    "bn-add-relu": { compile: { fusion: ["bn-add-relu"] } },
    "add-relu": { compile: { fusion: ["add-relu"] } },
    elementwise: { compile: { fusion: ["elementwise"] } },
    all: { compile: { fusion: true } },
  },
});

if (import.meta.main) await run();
