import type { OpFacts } from "../runtime/graph/op.ts";

/**
 * Returns the names of an op's gradient in tools that derive them from the op's name: `pool2d_grad`, `GeLUGrad`. MindSpore
 * has such an op for activations, poolings, resizing, `Abs`, `Sqrt`, `Rsqrt`, `Minimum` and `Maximum`; it makes the
 * gradients of other arithmetic of several ops, and names such as `RealDivGrad` are not in its logs.
 */
export function gradientAliases({ paddle, mindinsight }: OpFacts["aliases"] = {}): OpFacts["aliases"] {
  return {
    ...(paddle === undefined ? {} : { paddle: `${paddle}_grad` }),
    ...(mindinsight === undefined ? {} : { mindinsight: `${mindinsight}Grad` }),
  };
}
