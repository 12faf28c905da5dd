import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import { FormCode } from "../runtime/graph/form_code.ts";
import type { ElementwiseForm, OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { checkNumber, checkOptions, checkTensors } from "./check_arguments.ts";
import { formKernel, overInputs } from "./kernels/elementwise_form.ts";
import { floatOf } from "./kernels/tensors.ts";
import { toLayout } from "./to_layout.ts";

export interface TriangleAttrs {
  /** Keeps the elements on and below a diagonal, or those on and above it. */
  readonly side: "lower" | "upper";
  /** Column of the diagonal in row 0. */
  readonly diagonal: number;
  /** Value of the other elements. */
  readonly fill: number;
  /** Rows and columns of a matrix. */
  readonly rows: number;
  readonly columns: number;
}

/** y = x on one side of a diagonal, a constant elsewhere; dx = dy on that side, 0 elsewhere. Input: x `[..., m, n]`. */
export const triangleOp: OpDef<TriangleAttrs> = {
  type: "triangle",
  precision: "follow",
  aliases: { paddle: "tril_triu", mindinsight: "MatrixBandPart" },
  shape([x]) {
    floatOf(x!, "triangle");
    return [x!];
  },
  cost: (inputs, outputs) => ({ flops: sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient: (node, [dy], needs) => [dy && needs[0] ? apply(dy, { ...node.attrs, fill: 0 }) : null],
  elementwise: form,
  inPlace: overInputs,
  candidates: (context) => [formKernel(form(context.attrs), context)],
};

/**
 * Keeps the elements of matrices `[..., m, n]` on and below a diagonal, whose column in row 0 is `diagonal`, and
 * replaces the others by `fill`. `tril(scores, { fill: -Infinity })` masks attention to later positions.
 *
 * @throws {InputError} if `x` has fewer than two dimensions
 */
export function tril(x: Tensor, options: { readonly diagonal?: number; readonly fill?: number } = {}): Tensor {
  return triangle("tril", x, "lower", options);
}

/** Keeps the elements of matrices `[..., m, n]` on and above a diagonal; otherwise like {@linkcode tril}. */
export function triu(x: Tensor, options: { readonly diagonal?: number; readonly fill?: number } = {}): Tensor {
  return triangle("triu", x, "upper", options);
}

function triangle(
  name: string,
  x: Tensor,
  side: TriangleAttrs["side"],
  options: { readonly diagonal?: number; readonly fill?: number },
): Tensor {
  checkTensors(name, [x]);
  checkOptions(name, options, ["diagonal", "fill"]);
  const { diagonal = 0, fill = 0 } = options;
  checkNumber(name, "diagonal", diagonal);
  checkNumber(name, "fill", fill);
  const [rows, columns] = x.shape.slice(-2);
  if (rows === undefined || columns === undefined || !Number.isInteger(diagonal)) {
    throw new InputError(
      `${name} expects matrices [..., m, n] and a whole number as diagonal, got ${
        formatShape(x.shape)
      } and ${diagonal}`,
    );
  }
  return apply(isImages(x.type as TensorType) ? toLayout(x, "row") : x, { side, diagonal, fill, rows, columns });
}

function apply(x: Tensor, attrs: TriangleAttrs): Tensor {
  return x.graph.apply(triangleOp, attrs, [x])[0]!;
}

function form({ side, diagonal, fill, rows, columns }: TriangleAttrs): ElementwiseForm {
  return {
    name: `triangle.${side}`,
    inputs: ["x"],
    positional: true,
    uniforms: { rows, columns, diagonal: { i32: diagonal }, fill: { f32: fill } },
    statements: new FormCode(({ uniform }) =>
      `let place = i * 4u + vec4<u32>(0u, 1u, 2u, 3u);
    let row = place / ${uniform("columns")};
    let column = vec4<i32>(place - row * ${uniform("columns")});
    let edge = vec4<i32>(row % ${uniform("rows")}) + ${uniform("diagonal")};`
    ),
    value: new FormCode(({ uniform }) =>
      `select(vec4<f32>(${uniform("fill")}), x, column ${side === "lower" ? "<=" : ">="} edge)`
    ),
    flops: 1,
  };
}
