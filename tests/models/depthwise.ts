import {
  avgPool2d,
  batchNorm,
  conv2d,
  dropout,
  flatten,
  gelu,
  globalAvgPool2d,
  linear,
  relu,
  sequential,
} from "../../mod.ts";
import { flatten as toRows, gelu as referenceGelu, relu as referenceRelu } from "../support/reference/elementwise.ts";
import { convLayer, dropoutLayer, linearLayer, normLayer } from "../support/reference/layers.ts";
import { byAdam } from "./optimizers.ts";
import { avgPool2d as referenceAvgPool2d, globalAvgPool2d as referencePool } from "../support/reference/pool.ts";
import type { ModelCase } from "./case.ts";
import { entropy } from "./losses.ts";

/** Depthwise separable convolutions (strided, dilated, asymmetric) with dropout of images and of rows; Adam. */
export const depthwise: ModelCase = {
  name: "depthwise and dropout",
  model: sequential({
    stem: conv2d(10, { kernel: 3, padding: "same", bias: false }),
    bn: batchNorm(),
    relu: relu(),
    spatial: conv2d(10, { kernel: [3, 5], stride: [2, 1], padding: [1, 2], groups: "depthwise" }),
    gelu: gelu(),
    drop1: dropout(0.3),
    pointwise: conv2d(21, { kernel: 1 }),
    pool1: avgPool2d({ kernel: 3, stride: 2, padding: 1 }),
    dilated: conv2d(21, { kernel: 3, padding: 2, dilation: 2, groups: "depthwise" }),
    relu2: relu(),
    pool2: globalAvgPool2d(),
    flatten: flatten(),
    drop2: dropout(),
    fc: linear(6),
  }),
  reference: (pass, x) => {
    const { tape } = pass;
    const a = normLayer(pass, "bn", convLayer(pass, "stem", x, { bias: false, padding: [1, 1] }));
    const b = convLayer(pass, "spatial", referenceRelu(tape, a), { stride: [2, 1], padding: [1, 2], groups: 10 });
    const c = dropoutLayer(pass, "drop1", referenceGelu(tape, b), 0.3);
    const d = referenceAvgPool2d(tape, convLayer(pass, "pointwise", c), {
      kernel: [3, 3],
      stride: [2, 2],
      padding: [1, 1],
    });
    const e = convLayer(pass, "dilated", d, { padding: [2, 2], dilation: [2, 2], groups: 21 });
    const f = toRows(tape, referencePool(tape, referenceRelu(tape, e)));
    return linearLayer(pass, "fc", dropoutLayer(pass, "drop2", f, 0.5));
  },
  batchSize: 5,
  input: [3, 13, 11],
  target: { classes: 6 },
  loss: entropy(),
  optimizer: byAdam({ learningRate: 1e-3, weightDecay: 1e-3 }),
  tolerance: 1e-4,
};
