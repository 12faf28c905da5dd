import type { DType, FloatType } from "../runtime/core/dtype.ts";
import { InputError } from "../runtime/core/errors.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import type { ElementwiseForm, OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { argument, checkTensors } from "./check_arguments.ts";
import { formKernel } from "./kernels/elementwise_form.ts";
import { stridedCopy } from "./kernels/strided_copy.ts";
import { floatOf } from "./kernels/tensors.ts";

export interface CastAttrs {
  readonly dtype: FloatType;
}

export interface IntegerCastAttrs {
  readonly dtype: "i32" | "u32";
}

/**
 * Converts to f32 or f16, rounding to nearest; the gradient is converted back. Integers up to 2^24 are exact in f32.
 * Input: x, of any type.
 */
export const castOp: OpDef<CastAttrs> = {
  type: "cast",
  precision: "fixed",
  roles: ["conversion"],
  aliases: { singa: "AsType" },
  shape: ([x], { dtype }) => [{ ...x!, dtype }],
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  gradient: (node, [dy], needs) => {
    if (!dy || !needs[0]) return [null];
    return [cast(dy, floatOf(node.inputs[0]!.type, "cast"))];
  },
  elementwise: (attrs) => form(attrs),
  candidates: (context) => [formKernel(form(context.attrs), context)],
};

/** Converts to integers, towards zero, without a gradient. Input: x, of any type. */
export const integerCastOp: OpDef<IntegerCastAttrs> = {
  type: "integer_cast",
  precision: "fixed",
  aliases: { singa: "AsType", nnc: "Cast", paddle: "cast", mindinsight: "Cast" },
  shape: ([x], { dtype }) => [{ ...x!, dtype }],
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ inputs: [x], attrs: { dtype }, traits }) {
    const view = { sizes: [sizeOf(x!.shape)], strides: [1], offset: 0 };
    return [stridedCopy("cast", x!.dtype, dtype, view, traits)];
  },
};

/**
 * Converts the elements of `x` to `dtype`; returns `x` itself if it has that type. Conversions to integers round towards
 * zero and have no gradient.
 */
export function cast(x: Tensor, dtype: DType): Tensor {
  checkTensors("cast", [x]);
  if (x.dtype === dtype) return x;
  if (dtype === "f32" || dtype === "f16") return x.graph.apply(castOp, { dtype }, [x])[0]!;
  if (dtype !== "i32" && dtype !== "u32") {
    throw new InputError(`cast expects f32, f16, i32 or u32, got ${argument(dtype)} for ${formatType(x.type)}`);
  }
  return x.graph.apply(integerCastOp, { dtype }, [x])[0]!;
}

/** Returns the identity: loads widen to f32 and stores narrow. */
function form({ dtype }: CastAttrs): ElementwiseForm {
  return { name: `cast.${dtype}`, inputs: ["x"], value: "x", flops: 0 };
}
