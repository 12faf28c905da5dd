import { batchNorm, linear, mlp, sequential, tanh } from "../../mod.ts";
import { flatten, gelu, tanh as referenceTanh } from "../support/reference/elementwise.ts";
import { linearLayer, normLayer } from "../support/reference/layers.ts";
import { byAdamW, bySgd } from "./optimizers.ts";
import type { ModelCase } from "./case.ts";
import { entropy, squares } from "./losses.ts";

/** A classifier with odd sizes, label smoothing, and momentum with dampening. */
export const classifier: ModelCase = {
  name: "mlp",
  model: mlp({ hidden: [33, 17], classes: 7, activation: "gelu" }),
  reference: (pass, x) => {
    const { tape } = pass;
    const a = gelu(tape, linearLayer(pass, "fc1", flatten(tape, x)));
    return linearLayer(pass, "fc3", gelu(tape, linearLayer(pass, "fc2", a)));
  },
  batchSize: 9,
  input: [3, 5, 4],
  target: { classes: 7 },
  loss: entropy(0.1),
  optimizer: bySgd({ learningRate: 0.02, momentum: 0.9, dampening: 0.2, weightDecay: 1e-2 }),
  tolerance: 1e-4,
};

/** A regression with batch norm over rows, squared error and AdamW. */
export const regression: ModelCase = {
  name: "regression",
  model: sequential({
    fc1: linear(19, { bias: false }),
    bn: batchNorm(),
    tanh: tanh(),
    fc2: linear(5),
  }),
  reference: (pass, x) => {
    const a = referenceTanh(pass.tape, normLayer(pass, "bn", linearLayer(pass, "fc1", x, { bias: false })));
    return linearLayer(pass, "fc2", a);
  },
  batchSize: 12,
  input: [11],
  target: { features: 5 },
  loss: squares(),
  optimizer: byAdamW({ learningRate: 1e-3, weightDecay: 0.05 }),
  tolerance: 1e-4,
};
