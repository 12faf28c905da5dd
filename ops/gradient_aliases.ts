import type { OpFacts } from "../runtime/graph/op.ts";

/** Returns the names of an op's gradient in tools that derive them from the op's name: `pool2d_grad`, `GeLUGrad`. */
export function gradientAliases({ paddle, mindinsight }: OpFacts["aliases"] = {}): OpFacts["aliases"] {
  return {
    ...(paddle === undefined ? {} : { paddle: `${paddle}_grad` }),
    ...(mindinsight === undefined ? {} : { mindinsight: `${mindinsight}Grad` }),
  };
}
