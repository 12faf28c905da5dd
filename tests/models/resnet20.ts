import { resnet } from "../../mod.ts";
import { add, flatten, relu } from "../support/reference/elementwise.ts";
import { convLayer, linearLayer, normLayer } from "../support/reference/layers.ts";
import type { Pass } from "../support/reference/network.ts";
import { bySgd } from "./optimizers.ts";
import { globalAvgPool2d } from "../support/reference/pool.ts";
import type { Value } from "../support/reference/value.ts";
import type { ModelCase } from "./case.ts";
import { entropy } from "./losses.ts";

function convNorm(pass: Pass, x: Value, conv: string, norm: string, kernel: number, stride: number): Value {
  const half = (kernel - 1) / 2;
  const y = convLayer(pass, conv, x, { bias: false, padding: [half, half], stride: [stride, stride] });
  return normLayer(pass, norm, y);
}

function block(pass: Pass, x: Value, name: string, stride: number): Value {
  const { tape } = pass;
  const a = relu(tape, convNorm(pass, x, `${name}.conv1`, `${name}.bn1`, 3, stride));
  const body = convNorm(pass, a, `${name}.conv2`, `${name}.bn2`, 3, 1);
  const shortcut = stride === 1 ? x : convNorm(pass, x, `${name}.downsample.0`, `${name}.downsample.1`, 1, stride);
  return relu(tape, add(tape, body, shortcut));
}

/** The paper's network for CIFAR-10 on smaller images, with 21 batch norms. */
export const resnet20: ModelCase = {
  name: "resnet20",
  model: resnet({ depth: 20, classes: 10 }),
  reference: (pass, x) => {
    const { tape } = pass;
    let y = relu(tape, convNorm(pass, x, "conv1", "bn1", 3, 1));
    for (const stage of [1, 2, 3]) {
      for (const i of [0, 1, 2]) y = block(pass, y, `layer${stage}.${i}`, stage > 1 && i === 0 ? 2 : 1);
    }
    return linearLayer(pass, "fc", flatten(tape, globalAvgPool2d(tape, y)));
  },
  batchSize: 4,
  input: [3, 16, 16],
  target: { classes: 10 },
  loss: entropy(),
  optimizer: bySgd({ learningRate: 1e-3, momentum: 0.9, weightDecay: 1e-4 }),
  // With these batches, no activation is within 2e-6 of the kink of a ReLU, at which gradients jump
  seed: 10,
  tolerance: 1e-3,
};
