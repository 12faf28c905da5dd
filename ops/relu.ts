import type { Tensor } from "../runtime/graph/op.ts";
import { defineActivation, type NoAttrs } from "./activation.ts";
import { rectified } from "./kernels/nan.ts";

/** y = max(x, 0); dx = dy where y > 0, 0 elsewhere. */
export const reluOp = defineActivation<NoAttrs>({
  type: "relu",
  aliases: { nnc: "ReLU", singa: "ReLU", mindinsight: "ReLU" },
  gradientAliases: { singa: "ReLUBackward", mindinsight: "ReluGrad" },
  value: () => rectified("x"),
  derivativeFrom: "y",
  // Tests y > 0 by its bits: compilers narrow a float comparison to f16 if y comes from f16, which is slow in software
  gradient: () => "select(vec4<f32>(0.0), dy, bitcast<vec4<i32>>(y) > vec4<i32>(0))",
  flops: [1, 1],
});

/** Applies the rectified linear unit to each element. */
export function relu(x: Tensor): Tensor {
  return x.graph.apply(reluOp, {}, [x])[0]!;
}
