/**
 * Reads and sums by index. One module holds all of them because they are the gradients of each other.
 *
 * @module
 */
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../runtime/core/shape.ts";
import { defineKernel, type KernelPlan, LINEAR_INDEX, linearGrid } from "../runtime/device/kernel.ts";
import type { DeviceTraits } from "../runtime/device/traits.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, isImages, rowMajor, type TensorType } from "../runtime/graph/types.ts";
import { add } from "./add.ts";
import { bytesOf } from "./buffers.ts";
import { cast } from "./cast.ts";
import { checkTensors } from "./check_arguments.ts";
import { where } from "./choice.ts";
import { greaterEqual, notEqual } from "./comparisons.ts";
import { vectorLoop } from "./kernels/elementwise.ts";
import { gatherPlan, type IndexedRows, placeOf } from "./kernels/gather.ts";
import { stepLoop, stepOfRow } from "./kernels/loop_limit.ts";
import { scatterAddPlan } from "./kernels/scatter_add.ts";
import { floatOf, inputBuffer, outputBuffer } from "./kernels/tensors.ts";
import { axisOf } from "./reduction.ts";
import { reshape } from "./reshape.ts";
import { slice } from "./slice.ts";
import { toLayout } from "./to_layout.ts";

/** Invocations per workgroup. */
const LANES = 64;

export interface GatherAttrs {
  readonly axis: number;
  /** True if each index takes a whole row, false if each element has its own index. */
  readonly rows: boolean;
  /** Index whose rows have no gradient. */
  readonly padding?: number;
  /** True if negative indices count from the end. */
  readonly wraps?: boolean;
}

export interface ScatterAttrs extends GatherAttrs {
  /** Shape of the output. */
  readonly shape: Shape;
}

/**
 * Elements of x along an axis by index; the gradient adds dy to the places that were read. An index out of range reads
 * the nearest element. Inputs: x of any type, indices i32.
 */
export const gatherOp: OpDef<GatherAttrs> = {
  type: "gather",
  precision: "fixed",
  aliases: { nnc: "Gather", paddle: "take_along_axis", mindinsight: "GatherD" },
  shape([x, indices], { axis, rows }) {
    checkIndices("gather", indices!);
    return [rowMajor(rows ? x!.shape.toSpliced(axis, 1, ...indices!.shape) : indices!.shape, x!.dtype)];
  },
  cost: ([, indices], [y]) => ({ flops: 0, bytes: bytesOf(indices!, y!, y!) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null, null];
    const [x, indices] = node.inputs as [Tensor, Tensor];
    const { padding, ...attrs } = node.attrs;
    const kept = padding === undefined ? dy : where(cast(differs(indices, padding), dy.dtype), dy, 0);
    return [scatter(kept, indices, { ...attrs, shape: x.shape }), null];
  },
  candidates({ inputs: [x, indices], attrs, traits }) {
    return [gatherPlan("gather", x!.dtype, sizesOf(x!.shape, indices!.shape, attrs), traits)];
  },
};

/** Rows of a table by index: gather along axis 0, under the names that frameworks give an embedding. */
export const embeddingOp: OpDef<GatherAttrs> = {
  ...gatherOp,
  type: "embedding",
  aliases: { nnc: "Embed", paddle: "lookup_table_v2", mindinsight: "Gather" },
};

/** Sums of elements of x by index, in order; dx = dy by index. Inputs: x, indices i32. */
export const scatterAddOp: OpDef<ScatterAttrs> = {
  type: "scatter_add",
  precision: "fixed",
  aliases: { nnc: "ScatterAdd", paddle: "put_along_axis", mindinsight: "ScatterAdd" },
  shape([x, indices], { shape }) {
    floatOf(x!, "scatterAdd");
    checkIndices("scatterAdd", indices!);
    return [rowMajor(shape, x!.dtype)];
  },
  cost: (inputs, outputs) => ({ flops: sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null, null];
    const { shape: _, ...attrs } = node.attrs;
    return [dy.graph.apply(gatherOp, attrs, [dy, node.inputs[1]!])[0]!, null];
  },
  candidates({ inputs, outputs, attrs, traits }) {
    const sizes = sizesOf(attrs.shape, inputs[1]!.shape, attrs);
    return [scatterAddPlan("scatter_add", inputBuffer(inputs, 0), outputBuffer(outputs, 0), sizes, traits)];
  },
};

/** Options of reads and writes by index. */
export interface IndexOptions {
  /** Counts negative indices from the end, which otherwise are out of range. */
  readonly wraps?: boolean;
}

/**
 * Returns the rows of `x` along an axis that `indices`, i32 of any shape, name, as NumPy's `take` and an embedding do:
 * `[..., n, ...]` becomes `[..., ...indices, ...]`. An index out of range takes the nearest row.
 *
 * @throws {InputError} if the indices are not i32
 */
export function take(x: Tensor, indices: Tensor, axis = 0, options: IndexOptions = {}): Tensor {
  checkTensors("take", [x, indices]);
  const attrs = { axis: axisOf("take", x.shape, axis), rows: true, ...options };
  return x.graph.apply(gatherOp, attrs, [rowsOf(x), rowsOf(indices)])[0]!;
}

/** Returns rows of a table `[rows, width]` as {@linkcode take} does; the row of `padding` has no gradient unless null. */
export function lookUp(table: Tensor, indices: Tensor, padding: number | null, options: IndexOptions = {}): Tensor {
  const attrs = { axis: 0, rows: true, ...padding === null ? {} : { padding }, ...options };
  return table.graph.apply(embeddingOp, attrs, [table, rowsOf(indices)])[0]!;
}

/** Returns 1 for indices other than `index` and 0 for it, `[..., 1]`. */
function differs(indices: Tensor, index: number): Tensor {
  return notEqual(cast(reshape(indices, [...indices.shape, 1]), "f32"), index);
}

/**
 * Returns elements of `x` along an axis, as PyTorch's `gather` does: for axis 1, `y[i][j] = x[i][indices[i][j]]`. An index
 * out of range takes the nearest element.
 *
 * @throws {InputError} unless `indices` is i32 and no larger than `x` in the other dimensions
 */
export function gather(x: Tensor, axis: number, indices: Tensor, options: IndexOptions = {}): Tensor {
  checkTensors("gather(x, axis, indices)", [x, indices]);
  const at = axisOf("gather", x.shape, axis);
  const source = fitted("gather", x, indices, at);
  return x.graph.apply(gatherOp, { axis: at, rows: false, ...options }, [source, rowsOf(indices)])[0]!;
}

/**
 * Returns `x` with the elements of `source` added, as PyTorch's `scatter_add` does: for axis 1,
 * `y[i][indices[i][j]] += source[i][j]`. The additions run in the order of the source, the same in every run.
 *
 * @throws {InputError} unless `indices` is i32, `source` has its shape, and only `axis` differs from `x`
 */
export function scatterAdd(
  x: Tensor,
  axis: number,
  indices: Tensor,
  source: Tensor,
  options: IndexOptions = {},
): Tensor {
  checkTensors("scatterAdd(x, axis, indices, source)", [x, indices, source]);
  const at = axisOf("scatterAdd", x.shape, axis);
  if (!sameShape(indices.shape, source.shape) || !sameShape(indices.shape.with(at, 0), x.shape.with(at, 0))) {
    throw new InputError(
      `scatterAdd expects indices and source of one shape, which may differ from ${
        formatShape(x.shape)
      } in dimension ` +
        `${at}, got ${formatShape(indices.shape)} and ${formatShape(source.shape)}`,
    );
  }
  return add(x, scatterSum(x.shape, at, indices, source, options));
}

/**
 * Returns zeros of a shape with the elements of `source` added at indices along an axis. Indices of one dimension take
 * whole rows of `source`.
 */
export function scatterSum(
  shape: Shape,
  axis: number,
  indices: Tensor,
  source: Tensor,
  options: IndexOptions = {},
): Tensor {
  const rows = indices.shape.length < shape.length;
  return scatter(rowsOf(source), rowsOf(indices), { axis, rows, shape, ...options });
}

function scatter(x: Tensor, indices: Tensor, attrs: ScatterAttrs): Tensor {
  return x.graph.apply(scatterAddOp, attrs, [x, indices])[0]!;
}

/**
 * Returns `x` with elements replaced: for axis 1, `y[i][indices[i][j]] = source[i][j]`. Of several that are written to a
 * place, the last stays. Indices of one dimension take whole rows of `source`.
 */
export function replace(x: Tensor, axis: number, indices: Tensor, source: Tensor, options: IndexOptions = {}): Tensor {
  const rows = indices.shape.length < x.shape.length;
  const attrs = { axis, rows, shape: x.shape, ...options };
  const last = x.graph.apply(lastWriteOp, attrs, [rowsOf(indices)])[0]!;
  const written = x.graph.apply(gatherOp, { axis, rows }, [rowsOf(source), last])[0]!;
  const isWritten = greaterEqual(
    rows ? reshape(last, [x.shape[axis]!, ...x.shape.slice(axis + 1).map(() => 1)]) : last,
    0,
  );
  return where(isWritten, written, x);
}

/** Row of the indices that names each place last, or -1. Input: indices i32. */
export const lastWriteOp: OpDef<ScatterAttrs> = {
  type: "last_write",
  precision: "fixed",
  shape: ([indices], { shape, axis, rows }) => {
    checkIndices("replace", indices!);
    return [rowMajor(rows ? [shape[axis]!] : shape, "i32")];
  },
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  candidates: ({ inputs: [indices], attrs, traits }) => [
    lastWritePlan(sizesOf(attrs.shape, indices!.shape, attrs), traits),
  ],
};

function sizesOf(shape: Shape, indices: Shape, { axis, rows, wraps = false }: GatherAttrs): IndexedRows {
  return {
    outer: sizeOf(shape.slice(0, axis)),
    places: shape[axis]!,
    rows: rows ? sizeOf(indices) : indices[axis]!,
    inner: sizeOf(shape.slice(axis + 1)),
    shared: rows,
    wraps,
  };
}

/** Returns the part of `x` that indices of the same rank can reach. */
function fitted(op: string, x: Tensor, indices: Tensor, axis: number): Tensor {
  const { shape } = indices;
  if (shape.length !== x.shape.length || shape.some((n, d) => d !== axis && n > x.shape[d]!)) {
    throw new InputError(
      `${op} expects indices with the dimensions of ${
        formatShape(x.shape)
      } and no larger except in dimension ${axis}, ` +
        `got ${formatShape(shape)}`,
    );
  }
  return slice(rowsOf(x), shape.map((n, d) => d === axis ? null : [0, n]));
}

function checkIndices(op: string, indices: TensorType): void {
  if (indices.dtype !== "i32") {
    throw new InputError(`${op} expects i32 indices, got ${formatType(indices)}; use cast(indices, "i32")`);
  }
}

function rowsOf(x: Tensor): Tensor {
  return isImages(x.type) ? toLayout(x, "row") : x;
}

/**
 * Returns the plan of y[outer][place][inner] = the last row whose index is the place, or -1. An invocation goes through all
 * rows of a line, so that the result is the same in every run. Input: indices i32.
 */
function lastWritePlan(
  { outer, places, rows, inner, shared, wraps }: IndexedRows,
  traits: DeviceTraits,
): KernelPlan {
  const lines = shared ? 1 : outer * inner;
  const across = shared ? 1 : inner;
  const step = stepOfRow(rows, 1, traits);
  const cleared = defineKernel({
    name: "last_write.clear",
    buffers: { y_: { ref: { output: 0 }, type: "vec4<i32>" } },
    ...vectorLoop(Math.ceil(lines * places / 4), traits, "y_[i] = vec4<i32>(-1);"),
  });
  const written = defineKernel({
    name: `last_write${wraps ? ".wraps" : ""}${step === 1 ? "" : `.by${step}`}`,
    buffers: { indices: { ref: { input: 0 }, type: "i32" }, y_: { ref: { output: 0 }, type: "i32" } },
    uniforms: { lines, places, rows, across },
    workgroupSize: [LANES],
    grid: linearGrid(lines, LANES, traits.maxWorkgroupsPerDimension),
    body: `  let line = ${LINEAR_INDEX(LANES)};
  if (line >= u.lines) { return; }
  let image = line / u.across;
  let column = line % u.across;
  ${
      stepLoop({ first: "0u", by: "1u", end: "u.rows", step }, (k) =>
        `if (${k} < u.rows) {
    let index = indices[(image * u.rows + ${k}) * u.across + column];
    y_[(image * u.places + ${placeOf("index", wraps)}) * u.across + column] = i32(${k});
  }`)
    }`,
  });
  return { name: written.name, kernels: [cleared, written], workspace: [] };
}
