import { InputError } from "../runtime/core/errors.ts";
import { sameShape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, rowMajor } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { classesLast, IGNORE_INDEX, targetShape } from "./cross_entropy.ts";
import { load } from "./kernels/access.ts";
import { stepLoop } from "./kernels/loop_limit.ts";
import { elementsOf, rowNumbers } from "./kernels/row_numbers.ts";
import { declare, floatOf, inputBuffer } from "./kernels/tensors.ts";

export interface IsCorrectAttrs {
  /** Class index of ignored rows. */
  readonly ignoreIndex: number;
}

/**
 * 1 for rows whose target is the class with the largest output, 0 for the others; and 1 for rows that count, 0 for those
 * whose target is `ignoreIndex`. The first of equal outputs counts as the largest; a row with a NaN is wrong. Inputs:
 * outputs and targets as for `cross_entropy`. Outputs: both f32 of the target's shape.
 */
export const isCorrectOp: OpDef<IsCorrectAttrs> = {
  type: "is_correct",
  precision: "fixed",
  shape([x, target]) {
    floatOf(x!, "is_correct", "the outputs");
    if (x!.shape.length < 2 || target!.dtype !== "i32" || !sameShape(target!.shape, targetShape(x!))) {
      throw new InputError(
        `is_correct expects outputs [n, ..., classes] and class indices i32[n, ...], got ${formatType(x!)} and ` +
          formatType(target!),
      );
    }
    const rows = rowMajor(target!.shape, "f32");
    return [rows, rows];
  },
  cost: (inputs, outputs) => ({ flops: 2 * sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ inputs, attrs: { ignoreIndex }, traits }) {
    const x = inputBuffer(inputs, 0);
    const n = sizeOf(inputs[1]!.shape);
    const width = sizeOf(inputs[0]!.shape) / n;
    const at = (index: string) => load("x", index, x.dtype, 1);
    const elements = elementsOf(width, 1, traits);
    const element = elements.step === 1 ? "k" : "min(k, u.width - 1u)"; // the last element beats once or twice
    return [rowNumbers({
      name: `is_correct.${x.dtype}${elements.step === 1 ? "" : `.x${elements.step}`}`,
      reads: { x: declare(x, 1), targets: { ref: { input: 1 }, type: "i32" } },
      ...{ n, width, traits },
      uniforms: { ignored: { i32: ignoreIndex } },
      results: ["correct", "counted"],
      // Tests the bits, since compilers may assume that comparisons see no NaN
      prelude: `fn isNan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }`,
      body: `let target_ = targets[row];
  let hit = u32(clamp(target_, 0, i32(u.width) - 1));
  let own = ${at("first + hit")};
  var beaten = 0.0;
  ${
        stepLoop(elements, () =>
          `let other = ${at(`first + ${element}`)};
    if (isNan(other) || other > own || (other == own && ${element} < hit)) { beaten += 1.0; }`)
      }
  beaten = rowSum(beaten, seat);
  let counted = select(0.0, 1.0, target_ != u.ignored);
  let correct = select(0.0, counted, beaten == 0.0 && target_ == i32(hit));`,
    })];
  },
};

/**
 * Returns 1 for each row whose largest output is the target's class and 0 otherwise, and 1 for each row that counts, both
 * f32 of the target's shape. Rows whose target is `ignoreIndex` give 0 twice.
 */
export function isCorrect(
  outputs: Tensor,
  target: Tensor,
  { ignoreIndex = IGNORE_INDEX }: Partial<IsCorrectAttrs> = {},
): [correct: Tensor, counted: Tensor] {
  const [correct, counted] = outputs.graph.apply(isCorrectOp, { ignoreIndex }, [classesLast(outputs), target]);
  return [correct!, counted!];
}
