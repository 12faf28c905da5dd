/**
 * An op of your own: a gated SiLU with hand-written kernels, forward and backward, against the one composed of Tacho's
 * ops. Its gain is memory: it keeps no halves of its input, as the column `peak` shows. On a software adapter both take about
 * as long, so that the verdict is `unclear` or `same`: over 200 rounds would decide.
 *
 *     deno run -A examples/07_own_op.ts --dry-run                           # the memory of both, exactly; runs nothing
 *     deno run -A examples/07_own_op.ts
 *     deno run -A examples/07_own_op.ts gate=fused compile.autotune=true   # chooses between the two forward kernels
 */
import {
  adamW,
  crossEntropy,
  defineOp,
  type Layer,
  layer,
  linear,
  run,
  scenario,
  sequential,
  swiglu,
  tensors,
  z,
} from "../mod.ts";

const [samples, features, classes] = [512, 16, 4];

/** Gradient of `silu(a) b` for the halves a, b of each row of x. */
const swigluGrad = defineOp({
  type: "fused_swiglu_grad",
  inputs: ["dy", "x"],
  outputs: ["dx"],
  shape: ({ x }) => ({ dx: x.shape }),
  cost: ({ dy }) => 11 * dy.size,
  kernels: [{
    name: "elements",
    uniforms: ({ dy }) => ({ width: dy.shape.at(-1)! }),
    invocations: ({ dy }) => dy.size,
    code: `
      let row = index / u.width;
      let first = row * u.width + index;
      let a = load_x(first);
      let b = load_x(first + u.width);
      let dy = load_dy(index);
      let s = 1.0 / (1.0 + exp(-a));
      store_dx(first, dy * b * s * (1.0 + a * (1.0 - s)));
      store_dx(first + u.width, dy * a * s);`,
  }],
});

/** `silu(a) b` for the halves a, b of each row of x: one pass, no halves in memory. */
export const fusedSwiglu = defineOp({
  type: "fused_swiglu",
  inputs: ["x"],
  shape({ x }) {
    const width = x.shape.at(-1)!;
    if (width % 2 !== 0) throw new Error(`expected an even last dimension, got ${width}`);
    return { y: [...x.shape.slice(0, -1), width / 2] };
  },
  cost: ({ y }) => 5 * y.size,
  gradient: ({ inputs: { x }, gradients: { y: dy } }) => ({ x: swigluGrad(dy, x) }),
  kernels: [
    {
      name: "vectors",
      when: ({ y }) => y.shape.at(-1)! % 4 === 0,
      vectors: ["x", "y"],
      uniforms: ({ y }) => ({ width: y.shape.at(-1)! / 4 }),
      invocations: ({ y }) => y.size / 4,
      code: `
        let first = index / u.width * u.width + index;
        let a = load_x(first);
        store_y(index, a / (1.0 + exp(-a)) * load_x(first + u.width));`,
    },
    {
      name: "elements",
      uniforms: ({ y }) => ({ width: y.shape.at(-1)! }),
      invocations: ({ y }) => y.size,
      code: `
        let first = index / u.width * u.width + index;
        let a = load_x(first);
        store_y(index, a / (1.0 + exp(-a)) * load_x(first + u.width));`,
    },
  ],
});

const gates: Record<"composed" | "fused", Layer> = { composed: swiglu(), fused: layer((x) => fusedSwiglu(x)) };

/** Points that belong to the class of their largest coordinate among the first ones. */
function points(): { inputs: Float32Array; labels: Int32Array } {
  const inputs = Float32Array.from({ length: samples * features }, (_, i) => Math.sin(i * i * 0.37 + i));
  const labels = Int32Array.from({ length: samples }, (_, n) => {
    const row = inputs.subarray(n * features, n * features + classes);
    return row.indexOf(Math.max(...row));
  });
  return { inputs, labels };
}

const { inputs, labels } = points();

// `checkGradient(fusedSwiglu, [[3, 10]])` compares the gradient with finite differences.

export default scenario({
  name: "own-op",
  params: {
    width: z.coerce.number().default(512).describe("features of the gated layer"),
    gate: z.enum(["composed", "fused"]).default("composed").describe("gate of Tacho's ops, or the one of this script"),
  },
  model: ({ width, gate }) => sequential({ up: linear(2 * width), gate: gates[gate], down: linear(classes) }),
  loss: crossEntropy(),
  optimizer: adamW({ learningRate: 1e-3 }),
  data: tensors({ input: { shape: [features], data: inputs }, target: { shape: [], data: labels }, classes }),
  loader: { batchSize: 128 },
  measure: { steps: 5, skip: 2, rounds: 12 },
  variants: {
    composed: {},
    fused: { params: { gate: "fused" } },
  },
});

if (import.meta.main) await run();
