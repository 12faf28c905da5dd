import type { Layout } from "../runtime/core/layout.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { relayouts, sameOrder } from "./kernels/relayout.ts";

export interface ToLayoutAttrs {
  readonly layout: Layout;
}

/** Changes the order of the elements in memory to `row`, `nchw` or `nhwc`. Input: x. */
export const toLayoutOp: OpDef<ToLayoutAttrs> = {
  type: "to_layout",
  precision: "fixed",
  roles: ["relayout"],
  shape: ([x], { layout }) => [{ ...x!, layout }],
  cost: (inputs, outputs) => ({
    flops: 0,
    bytes: sameOrder(inputs[0]!, outputs[0]!) ? 0 : bytesOf(...inputs, ...outputs),
  }),
  isView: (inputs, attrs) => sameOrder(inputs[0]!, { ...inputs[0]!, layout: attrs.layout }),
  gradient: (node, [dy], needs) => [dy && needs[0] ? toLayout(dy, node.inputs[0]!.type.layout) : null],
  candidates: ({ inputs, outputs, traits }) =>
    sameOrder(inputs[0]!, outputs[0]!) ? [] : relayouts(inputs[0]!, outputs[0]!, traits),
};

/** Returns `x` in `layout`; `x` itself if it already has that layout. */
export function toLayout(x: Tensor, layout: Layout): Tensor {
  return x.type.layout === layout ? x : x.graph.apply(toLayoutOp, { layout }, [x])[0]!;
}

/** Returns a tensor `[n, c, h, w]` as images: in its own layout if it holds images, in the graph's otherwise. */
export function asImages(x: Tensor): Tensor {
  if (isImages(x.type) || x.shape.length !== 4) return x;
  return x.graph.inLayer(`${x.node.id}.images`, () => toLayout(x, x.graph.imageLayout));
}
