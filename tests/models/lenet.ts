import { lenet as makeLenet } from "../../mod.ts";
import { flatten, relu } from "../support/reference/elementwise.ts";
import { convLayer, linearLayer } from "../support/reference/layers.ts";
import { bySgd } from "./optimizers.ts";
import { maxPool2d } from "../support/reference/pool.ts";
import type { ModelCase } from "./case.ts";
import { entropy } from "./losses.ts";

const HALVES = { kernel: [2, 2], stride: [2, 2] } as const;

/** LeNet with Nesterov momentum and weight decay. */
export const lenet: ModelCase = {
  name: "lenet",
  model: makeLenet({ classes: 10 }),
  reference: (pass, x) => {
    const { tape } = pass;
    const a = maxPool2d(tape, relu(tape, convLayer(pass, "conv1", x, { padding: [2, 2] })), HALVES);
    const b = maxPool2d(tape, relu(tape, convLayer(pass, "conv2", a)), HALVES);
    const c = relu(tape, linearLayer(pass, "fc1", flatten(tape, b)));
    return linearLayer(pass, "fc3", relu(tape, linearLayer(pass, "fc2", c)));
  },
  batchSize: 8,
  input: [1, 28, 28],
  target: { classes: 10 },
  loss: entropy(),
  optimizer: bySgd({ learningRate: 0.01, momentum: 0.9, nesterov: true, weightDecay: 5e-4 }),
  tolerance: 1e-4,
};
