import type { FloatType } from "../runtime/core/dtype.ts";
import type { ElementwiseForm, OpDef, Tensor } from "../runtime/graph/op.ts";
import { bytesOf } from "./buffers.ts";
import { formKernel } from "./kernels/elementwise_form.ts";
import { floatOf } from "./kernels/tensors.ts";

export interface CastAttrs {
  readonly dtype: FloatType;
}

/** Converts between f32 and f16, rounding to nearest; the gradient is converted back. Input: x. */
export const castOp: OpDef<CastAttrs> = {
  type: "cast",
  precision: "fixed",
  shape([x], { dtype }) {
    floatOf(x!, "cast");
    return [{ ...x!, dtype }];
  },
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  gradient: (node, [dy], needs) => {
    if (!dy || !needs[0]) return [null];
    return [cast(dy, floatOf(node.inputs[0]!.type, "cast"))];
  },
  elementwise: (attrs) => form(attrs),
  candidates: (context) => [formKernel(form(context.attrs), context)],
};

/** Converts the elements of `x` to `dtype`; returns `x` itself if it has that type. */
export function cast(x: Tensor, dtype: FloatType): Tensor {
  return x.dtype === dtype ? x : x.graph.apply(castOp, { dtype }, [x])[0]!;
}

/** Returns the identity: loads widen to f32 and stores narrow. */
function form({ dtype }: CastAttrs): ElementwiseForm {
  return { name: `cast.${dtype}`, inputs: ["x"], value: "x", flops: 0 };
}
