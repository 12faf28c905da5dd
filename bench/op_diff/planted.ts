/**
 * A small convolutional network with an op whose work can be multiplied, for `deno task bench:diff`.
 *
 *     deno run -A bench/op_diff/planted.ts work=2
 */
import {
  conv2d,
  crossEntropy,
  defineOp,
  flatten,
  layer,
  linear,
  maxPool2d,
  relu,
  run,
  scenario,
  sequential,
  sgd,
  syntheticImages,
  z,
} from "../../mod.ts";

/** Multiplications of the original op. */
const TURNS = 8;

/** y = x after `turns` multiplications, in a kernel whose code does not depend on their number. */
const busy = defineOp({
  type: "busy",
  inputs: ["x"],
  options: { turns: TURNS },
  shape: ({ x }) => ({ y: x.shape }),
  cost: ({ x }) => TURNS * x.size,
  gradient: ({ gradients: { y: dy } }) => ({ x: dy }),
  kernels: [{
    name: "elements",
    uniforms: (_, { turns }) => ({ turns }),
    invocations: ({ x }) => x.size,
    code: `
      var value = load_x(index);
      for (var i = 0u; i < u.turns; i++) { value = value * 1.0000001; }
      store_y(index, value);`,
  }],
});

export default scenario({
  name: "planted",
  params: {
    work: z.coerce.number().default(1).describe("work of the planted op, relative to the original"),
    copy: z.coerce.number().default(0).describe("distinguishes variants that are equal otherwise"),
  },
  model: ({ work }) =>
    sequential(
      conv2d(8, { kernel: 3, padding: 1 }),
      relu(),
      layer((x) => busy(x, { turns: TURNS * work }), "busy"),
      maxPool2d({ kernel: 2 }),
      conv2d(16, { kernel: 3, padding: 1 }),
      relu(),
      maxPool2d({ kernel: 2 }),
      conv2d(32, { kernel: 3, padding: 1 }),
      relu(),
      flatten(),
      linear(64),
      relu(),
      linear(10),
    ),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01 }),
  data: syntheticImages({ height: 32, width: 32, classes: 10, length: 1024 }),
  loader: { batchSize: 64 },
  measure: { steps: 3, skip: 2, rounds: 1 },
  variants: {
    baseline: {},
    again: { params: { copy: 1 } },
    slower: { params: { work: 3 } },
  },
});

if (import.meta.main) await run();
