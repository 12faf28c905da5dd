import { type FloatType, isFloat } from "../runtime/core/dtype.ts";
import { InputError } from "../runtime/core/errors.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { shown } from "../runtime/core/shown.ts";
import { defineKernel } from "../runtime/device/kernel.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, rowMajor } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { checkTensors } from "./check_arguments.ts";
import { vectorLoop } from "./kernels/elementwise.ts";

export interface OneHotAttrs {
  readonly classes: number;
  readonly dtype: FloatType;
}

/** y[...][k] = 1 where the index is k, 0 elsewhere. Input: indices i32. */
export const oneHotOp: OpDef<OneHotAttrs> = {
  type: "one_hot",
  precision: "fixed",
  aliases: { paddle: "one_hot_v2" },
  shape([indices], { classes, dtype }) {
    if (indices!.dtype !== "i32") {
      throw new InputError(`oneHot expects i32 indices, got ${formatType(indices!)}; use cast(indices, "i32")`);
    }
    return [rowMajor([...indices!.shape, classes], dtype)];
  },
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ outputs, attrs: { classes, dtype }, traits }) {
    const n = sizeOf(outputs[0]!.shape);
    const kernel = defineKernel({
      name: `one_hot.${dtype}`,
      buffers: { indices: { ref: { input: 0 }, type: "i32" }, y_: { ref: { output: 0 }, type: `vec4<${dtype}>` } },
      prelude: "fn hit(e: u32) -> bool { return u32(indices[e / u.classes]) == e % u.classes; }",
      ...vectorLoop(
        Math.ceil(n / 4),
        traits,
        `let e = min(i * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.last));
    let hits = vec4<bool>(hit(e.x), hit(e.y), hit(e.z), hit(e.w));
    y_[i] = select(vec4<${dtype}>(), vec4<${dtype}>(1.0), hits);`,
        { classes, last: n - 1 },
      ),
    });
    return [{ name: kernel.name, kernels: [kernel], workspace: [] }];
  },
};

/**
 * Returns `[..., classes]` with a 1 at each index and 0 elsewhere; an index out of range has no 1.
 *
 * @throws {InputError} if the indices are not i32
 */
export function oneHot(indices: Tensor, classes: number, dtype: FloatType = "f32"): Tensor {
  checkTensors("oneHot", [indices]);
  if (!Number.isInteger(classes) || classes < 1) {
    throw new InputError(`oneHot expects a number of classes of at least 1, got ${shown(classes)}`);
  }
  if (!isFloat(dtype)) throw new InputError(`oneHot expects "f32" or "f16" as dtype, got ${shown(dtype)}`);
  return indices.graph.apply(oneHotOp, { classes, dtype }, [indices])[0]!;
}
