/**
 * Matrix product `c = op(a) op(b)`, where op transposes the last two dimensions or does nothing. The leading dimensions
 * are a batch; either factor may be a single matrix for the whole batch.
 *
 * @module
 */
import { isFloat } from "../runtime/core/dtype.ts";
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, isImages, rowMajor, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { checkOptions, checkTensors } from "./check_arguments.ts";
import { matmulPlans } from "./kernels/matmul_plan.ts";
import { reshape } from "./reshape.ts";
import { broadcastShape, expand } from "./sum.ts";
import { toLayout } from "./to_layout.ts";

export interface MatmulAttrs {
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  /** Sums the products over the batch; the output then has no batch dimensions. */
  readonly sumBatch: boolean;
}

/**
 * Inputs: a `[...batch, m, k]` (`[...batch, k, m]` where `transposeA`), b `[...batch, k, n]`
 * (`[...batch, n, k]` where `transposeB`). One of them may lack the batch. Output: `[...batch, m, n]`.
 */
export const matmulOp: OpDef<MatmulAttrs> = {
  type: "matmul",
  precision: "compute",
  roles: ["product"],
  aliases: { singa: "GEMMBatched", nnc: "BatchMatmul", paddle: "matmul_v2", mindinsight: "BatchMatMul" },
  shape([a, b], attrs) {
    check(a!, b!, attrs);
    const { batch, m, n } = sizes(a!.shape, b!.shape, attrs);
    return [rowMajor(attrs.sumBatch ? [m, n] : [...batch, m, n], a!.dtype)];
  },
  cost([a, b], [c], attrs) {
    const { batch, m, n, k } = sizes(a!.shape, b!.shape, attrs);
    return { flops: 2 * sizeOf(batch) * m * n * k, bytes: bytesOf(a!, b!, c!) };
  },
  gradient(node, [dc], needs) {
    if (dc == null) return [null, null];
    const [a, b] = node.inputs as [Tensor, Tensor];
    const { transposeA, transposeB } = node.attrs;
    // The gradient of a factor without batch dimensions is a sum over the batch
    const sharedA = { sumBatch: a.shape.length < b.shape.length };
    const sharedB = { sumBatch: b.shape.length < a.shape.length };
    const gradientOfA = () =>
      transposeA
        ? product(b, dc, { transposeA: transposeB, transposeB: true, ...sharedA })
        : product(dc, b, { transposeA: false, transposeB: !transposeB, ...sharedA });
    const gradientOfB = () =>
      transposeB
        ? product(dc, a, { transposeA: true, transposeB: transposeA, ...sharedB })
        : product(a, dc, { transposeA: !transposeA, transposeB: false, ...sharedB });
    return [needs[0] ? gradientOfA() : null, needs[1] ? gradientOfB() : null];
  },
  candidates({ inputs: [a, b], outputs: [c], attrs, traits, epilogue }) {
    const { batch, m, n, k } = sizes(a!.shape, b!.shape, attrs);
    const count = sizeOf(batch);
    const [manyA, manyB] = [a!.shape.length > 2, b!.shape.length > 2];
    // Batches whose rows or sums are contiguous in memory form one larger product
    const rowsFollow = !manyB && !attrs.transposeA && !attrs.sumBatch;
    const sumsFollow = attrs.sumBatch && attrs.transposeA && !attrs.transposeB;
    const flat = rowsFollow || sumsFollow;
    return matmulPlans({
      name: "matmul",
      a: { ...floatBuffer({ input: 0 }, a!), order: attrs.transposeA ? "columns" : "rows", batched: manyA && !flat },
      b: { ...floatBuffer({ input: 1 }, b!), order: attrs.transposeB ? "columns" : "rows", batched: manyB && !flat },
      bias: null,
      c: { ...floatBuffer({ output: 0 }, c!), epilogue },
      batch: flat ? 1 : count,
      m: rowsFollow ? count * m : m,
      n,
      k: sumsFollow ? count * k : k,
      sumBatch: attrs.sumBatch && !flat,
    }, traits);
  },
};

/**
 * Multiplies matrices `a [...batch, m, k]` and `b [...batch, k, n]` and returns `[...batch, m, n]`. With `transposeA`,
 * a is `[...batch, k, m]`; with `transposeB`, b is `[...batch, n, k]`. Batch dimensions are broadcast, and a vector `[k]`
 * multiplies matrices, as in NumPy.
 *
 * @throws {InputError} if the shapes do not match, or a tensor holds integers
 */
export function matmul(
  a: Tensor,
  b: Tensor,
  options: { readonly transposeA?: boolean; readonly transposeB?: boolean } = {},
): Tensor {
  checkTensors("matmul", [a, b]);
  checkOptions("matmul", options, ["transposeA", "transposeB"]);
  const attrs = { transposeA: options.transposeA ?? false, transposeB: options.transposeB ?? false, sumBatch: false };
  const [x, y] = [rowsOf(a), rowsOf(b)];
  if (x.shape.length === 0 || y.shape.length === 0) return product(x, y, attrs);
  if (y.shape.length === 1) {
    const c = matmul(x, reshape(y, [-1, 1]), { transposeA: attrs.transposeA });
    return reshape(c, c.shape.slice(0, -1));
  }
  if (x.shape.length === 1) {
    const c = matmul(reshape(x, [1, -1]), y, { transposeB: attrs.transposeB });
    return reshape(c, c.shape.toSpliced(-2, 1));
  }
  const [batchA, batchB] = [x.shape.slice(0, -2), y.shape.slice(0, -2)];
  if (sameShape(batchA, batchB) || batchA.length === 0 || batchB.length === 0) return product(x, y, attrs);
  const batch = broadcastShape("matmul", [batchA, batchB]);
  const c = product(inBatch(x, batch), inBatch(y, batch), attrs);
  const shape = [...batch, ...c.shape.slice(-2)];
  return sameShape(c.shape, shape) ? c : reshape(c, shape);
}

/** Returns matrices broadcast to a batch; a single matrix loses its batch dimensions, since products share it. */
function inBatch(x: Tensor, batch: Shape): Tensor {
  const [own, matrix] = [x.shape.slice(0, -2), x.shape.slice(-2)];
  return sizeOf(own) === 1 ? reshape(x, matrix) : expand(x, [...batch, ...matrix]);
}

function rowsOf(x: Tensor): Tensor {
  return isImages(x.type) ? toLayout(x, "row") : x;
}

function product(a: Tensor, b: Tensor, attrs: MatmulAttrs): Tensor {
  return a.graph.apply(matmulOp, attrs, [a, b])[0]!;
}

function sizes(a: Shape, b: Shape, { transposeA, transposeB }: MatmulAttrs) {
  const [rows, columns] = [a.at(-2)!, a.at(-1)!];
  return {
    batch: (a.length >= b.length ? a : b).slice(0, -2),
    m: transposeA ? columns : rows,
    k: transposeA ? rows : columns,
    n: transposeB ? b.at(-2)! : b.at(-1)!,
  };
}

function check(a: TensorType, b: TensorType, { transposeA, transposeB }: MatmulAttrs): void {
  const both = `${formatType(a)}${transposeA ? " transposed" : ""} and ${formatType(b)}${
    transposeB ? " transposed" : ""
  }`;
  for (const type of [a, b]) {
    if (type.shape.length < 2 || !isFloat(type.dtype) || type.layout !== "row") {
      throw new InputError(
        `matmul expects row-major float matrices [..., rows, columns], got ${both}; ` +
          (isFloat(type.dtype)
            ? "reshape them to [rows, columns] or [batch, rows, columns]"
            : 'use cast(x, "f32") first'),
      );
    }
  }
  const [batchA, batchB] = [a.shape.slice(0, -2), b.shape.slice(0, -2)];
  if (batchA.length > 0 && batchB.length > 0 && !sameShape(batchA, batchB)) {
    throw new InputError(
      `matmul expects the same batch dimensions in both tensors, or none in one of them, ` +
        `got ${formatShape(batchA)} and ${formatShape(batchB)} from ${both}; reshape one of them`,
    );
  }
  const inner = [a.shape.at(transposeA ? -2 : -1)!, b.shape.at(transposeB ? -1 : -2)!];
  if (inner[0] !== inner[1]) {
    throw new InputError(
      `matmul expects as many columns on the left as rows on the right, got ${inner[0]} and ${
        inner[1]
      } from ${both}; ` +
        `transpose one of them or change its shape`,
    );
  }
}
