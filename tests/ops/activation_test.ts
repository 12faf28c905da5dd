import { gelu } from "../../ops/gelu.ts";
import { elu, leakyRelu, relu6, softplus } from "../../ops/rectifiers.ts";
import { relu } from "../../ops/relu.ts";
import { hardSigmoid, hardSwish, silu } from "../../ops/silu.ts";
import { sigmoid } from "../../ops/sigmoid.ts";
import { tanh } from "../../ops/tanh.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { normalBelow } from "../support/normal_distribution.ts";
import { checkOp, normals } from "../support/op_case.ts";

interface Activation {
  readonly apply: (x: Tensor) => Tensor;
  readonly value: (x: number) => number;
  /** Standard deviation of the inputs. Default: 2. */
  readonly deviation?: number;
}

const ACTIVATIONS: Readonly<Record<string, Activation>> = {
  relu: { apply: relu, value: (x) => Math.max(x, 0) },
  tanh: { apply: tanh, value: Math.tanh },
  sigmoid: { apply: sigmoid, value: (x) => 1 / (1 + Math.exp(-x)) },
  gelu: { apply: gelu, value: (x) => x * normalBelow(x) },
  "gelu with tanh": {
    apply: (x) => gelu(x, { approximate: "tanh" }),
    value: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  },
  silu: { apply: silu, value: (x) => x / (1 + Math.exp(-x)) },
  hardSigmoid: { apply: hardSigmoid, value: (x) => Math.min(1, Math.max(0, x / 6 + 0.5)) },
  hardSwish: { apply: hardSwish, value: (x) => x * Math.min(1, Math.max(0, x / 6 + 0.5)) },
  leakyRelu: { apply: (x) => leakyRelu(x, { negativeSlope: 0.2 }), value: (x) => x > 0 ? x : 0.2 * x },
  relu6: { apply: relu6, value: (x) => Math.min(6, Math.max(0, x)), deviation: 6 },
  elu: { apply: (x) => elu(x, { alpha: 1.5 }), value: (x) => x > 0 ? x : 1.5 * Math.expm1(x) },
  softplus: {
    apply: (x) => softplus(x, { beta: 0.5, threshold: 20 }),
    value: (x) => 2 * (Math.max(0, x / 2) + Math.log1p(Math.exp(-Math.abs(x / 2)))),
  },
};

// Kernels of activations differ only in their arithmetic, so that one of them is checked for all shapes
for (const [name, { apply, value, deviation = 2 }] of Object.entries(ACTIVATIONS)) {
  Deno.test(`${name} and its gradient match the reference`, async () => {
    for (const shape of name === "relu" ? [[1], [5], [3, 7], [2, 5, 3, 7], [33, 13, 5]] : [[3, 7]]) {
      await checkOp({
        name: `${name} of ${shape}`,
        inputs: { x: { shape, values: normals(sizeOf(shape), 3).map((x) => deviation * x) } },
        build: ({ x }) => apply(x),
        reference: ({ x }) => Float64Array.from(x, value),
      });
    }
  });

  Deno.test(`${name} is accurate far from zero and close to it`, async () => {
    const far = [-1e4, -100, -20, -5, -1e-3, 1e-3, 0.29, 0.31, 5, 20, 100, 1e4]
      // Errors are relative to the value; the reference is exact to 1e-16
      .filter((x) => Math.abs(value(x)) > 1e-12 || value(x) === 0);
    for (const x of far) {
      await checkOp({
        name: `${name} of ${x}`,
        inputs: { x: { shape: [1], values: [x], gradient: false } },
        build: ({ x }) => apply(x),
        reference: ({ x }) => Float64Array.from(x, value),
        dtypes: ["f32"],
        tolerance: { f32: 2e-5 },
      });
    }
  });
}
