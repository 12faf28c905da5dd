import { InputError } from "../runtime/core/errors.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, rowMajor } from "../runtime/graph/types.ts";
import type { NoAttrs } from "./activation.ts";
import { bytesOf } from "./buffers.ts";
import { load } from "./kernels/access.ts";
import { rowNumbers } from "./kernels/row_numbers.ts";
import { declare, floatOf, inputBuffer } from "./kernels/tensors.ts";

/**
 * 1 for rows whose target is the class with the largest output, 0 for the others. The first of equal outputs counts as
 * the largest; a row with a NaN is wrong. Inputs: outputs `[n, classes]`, target i32 `[n]` of class indices. Output:
 * f32 `[n]`.
 */
export const isCorrectOp: OpDef<NoAttrs> = {
  type: "is_correct",
  precision: "fixed",
  shape([x, target]) {
    floatOf(x!, "is_correct", "the outputs");
    const n = x!.shape[0]!;
    if (x!.shape.length !== 2 || target!.dtype !== "i32" || target!.shape.length !== 1 || target!.shape[0] !== n) {
      throw new InputError(
        `is_correct expects outputs [n, classes] and class indices i32[n], got ${formatType(x!)} and ` +
          formatType(target!),
      );
    }
    return [rowMajor([n], "f32")];
  },
  cost: (inputs, outputs) => ({ flops: 2 * sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ inputs, traits }) {
    const x = inputBuffer(inputs, 0);
    const [n, width] = inputs[0]!.shape as [number, number];
    const at = (index: string) => load("x", index, x.dtype, 1);
    return [rowNumbers({
      name: `is_correct.${x.dtype}`,
      reads: { x: declare(x, 1), targets: { ref: { input: 1 }, type: "i32" } },
      ...{ n, width, traits },
      // Tests the bits, since compilers may assume that comparisons see no NaN
      prelude: `fn isNan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }`,
      body: `let target_ = targets[row];
  let hit = u32(clamp(target_, 0, i32(u.width) - 1));
  let own = ${at("first + hit")};
  var beaten = 0.0;
  for (var k = member; k < u.width; k += members) {
    let other = ${at("first + k")};
    if (isNan(other) || other > own || (other == own && k < hit)) { beaten += 1.0; }
  }
  beaten = rowSum(beaten, lix);
  let y = select(0.0, 1.0, beaten == 0.0 && target_ == i32(hit));`,
    })];
  },
};

/**
 * Returns 1 for each row of `[n, classes]` whose largest output is the target's class and 0 otherwise, as f32 `[n]`.
 */
export function isCorrect(outputs: Tensor, target: Tensor): Tensor {
  return outputs.graph.apply(isCorrectOp, {}, [outputs, target])[0]!;
}
