import type { OpDef, Tensor } from "../runtime/graph/op.ts";

export interface Conv1dWeightAttrs {
  /** True to add the dimension of height 1, false to remove it. */
  readonly add: boolean;
}

/**
 * Views the weight of a one-dimensional convolution, `[out, in / groups, k]` stored as k, in, out, as that of a
 * two-dimensional one of height 1, `[out, in / groups, 1, k]`, or back. Input: the weight.
 */
export const conv1dWeightOp: OpDef<Conv1dWeightAttrs> = {
  type: "conv1d_weight",
  precision: "follow",
  shape([weight], { add }) {
    const { shape } = weight!;
    return [{
      ...weight!,
      shape: add ? shape.toSpliced(2, 0, 1) : shape.toSpliced(2, 1),
      layout: add ? "hwio" : "wio",
    }];
  },
  cost: () => ({ flops: 0, bytes: 0 }),
  isView: () => true,
  gradient: (node, [dy], needs) => {
    if (!dy || !needs[0]) return [null];
    return dy.graph.apply(conv1dWeightOp, { add: !node.attrs.add }, [dy]);
  },
  candidates: () => [],
};

/** Returns the weight `[out, in / groups, k]` of a one-dimensional convolution as that of a two-dimensional one. */
export function conv1dWeight(weight: Tensor): Tensor {
  return weight.graph.apply(conv1dWeightOp, { add: true }, [weight])[0]!;
}
