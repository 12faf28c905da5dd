import type { Tensor } from "../runtime/graph/op.ts";
import { defineActivation, type NoAttrs } from "./activation.ts";

/** y = max(x, 0); dx = dy where y > 0, 0 elsewhere. */
export const reluOp = defineActivation<NoAttrs>({
  type: "relu",
  aliases: { nnc: "ReLU", singa: "ReLU" },
  value: () => "max(x, vec4<f32>(0.0))",
  derivativeFrom: "y",
  // y > 0 by its bits: compilers narrow a comparison of floats to f16 where y comes from there, which is slow in software
  gradient: () => "select(vec4<f32>(0.0), dy, bitcast<vec4<i32>>(y) > vec4<i32>(0))",
  flops: [1, 1],
});

/** Rectified linear unit of each element. */
export function relu(x: Tensor): Tensor {
  return x.graph.apply(reluOp, {}, [x])[0]!;
}
