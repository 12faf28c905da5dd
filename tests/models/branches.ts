import {
  add,
  avgPool2d,
  batchNorm,
  conv2d,
  flatten,
  layer,
  linear,
  maxPool2d,
  relu,
  sequential,
  sigmoid,
} from "../../mod.ts";
import * as reference from "../support/reference/elementwise.ts";
import { convLayer, linearLayer, normLayer } from "../support/reference/layers.ts";
import { bySgd } from "./optimizers.ts";
import { avgPool2d as referenceAvgPool2d, maxPool2d as referenceMaxPool2d } from "../support/reference/pool.ts";
import type { ModelCase } from "./case.ts";
import { entropy } from "./losses.ts";

const shared = conv2d(8, { kernel: 3, padding: 1, groups: 2, bias: false });
const norm = batchNorm();
const body = sequential({ conv: conv2d(8, { kernel: 3, padding: 1, bias: false }), bn: batchNorm() });

/**
 * A network written by hand with `layer()`: a residual block, a grouped convolution and a batch norm that are each
 * applied twice, x + x, a sum of three branches, and overlapping pools.
 */
export const branches: ModelCase = {
  name: "branches",
  model: sequential({
    stem: conv2d(8, { kernel: 5, stride: 2, padding: 2 }),
    relu: relu(),
    pool: maxPool2d({ kernel: 3, stride: 2, padding: 1 }),
    residual: layer((x) => relu()(add(body(x), x))),
    twice: layer((x) => add(x, x)),
    sharing: layer((x) => {
      const a = norm(shared(x));
      const b = sigmoid()(norm(shared(relu()(a))));
      return add(add(a, b), x);
    }),
    pool2: avgPool2d({ kernel: 2 }),
    flatten: flatten(),
    fc: linear(5, { bias: false }),
  }),
  reference: (pass, x) => {
    const { tape } = pass;
    const stem = reference.relu(tape, convLayer(pass, "stem", x, { stride: [2, 2], padding: [2, 2] }));
    const a = referenceMaxPool2d(tape, stem, { kernel: [3, 3], stride: [2, 2], padding: [1, 1] });
    const inner = normLayer(
      pass,
      "residual.bn",
      convLayer(pass, "residual.conv", a, { bias: false, padding: [1, 1] }),
    );
    const b = reference.relu(tape, reference.add(tape, inner, a));
    const c = reference.add(tape, b, b);
    const apply = (y: typeof c) =>
      normLayer(
        pass,
        "sharing.batch_norm",
        convLayer(pass, "sharing.conv2d", y, { bias: false, padding: [1, 1], groups: 2 }),
      );
    const d = apply(c);
    const e = reference.sigmoid(tape, apply(reference.relu(tape, d)));
    const sum = reference.add(tape, reference.add(tape, d, e), c);
    const pooled = referenceAvgPool2d(tape, sum, { kernel: [2, 2], stride: [2, 2] });
    return linearLayer(pass, "fc", reference.flatten(tape, pooled), { bias: false });
  },
  batchSize: 6,
  input: [3, 17, 19],
  target: { classes: 5 },
  loss: entropy(0.05),
  optimizer: bySgd({ learningRate: 5e-3, momentum: 0.8, nesterov: true }),
  tolerance: 1e-4,
};
