/**
 * Logical shapes and physical orders. A tensor's logical shape is PyTorch's: activations `[n, c, h, w]`, convolution
 * weights `[out, in / groups, kh, kw]`, linear weights `[out, in]`. Its layout says in which order the elements lie.
 *
 * @module
 */
import { formatShape, type Shape, sizeOf } from "./shape.ts";

/**
 * - `row`: row-major order of the logical shape
 * - `nchw`, `nhwc`: images `[n, c, h, w]` stored in row-major order, or as n, h, w, c
 * - `hwio`: `[out, in / groups, kh, kw]` stored as kh, kw, in / groups, out
 * - `wio`: `[out, in / groups, k]` stored as k, in / groups, out
 * - `io`: `[out, in]` stored as in, out
 */
export type Layout = "row" | "nchw" | "nhwc" | "hwio" | "wio" | "io";

/** For each layout that is not row-major, the logical dimension at each physical position, outermost first. */
const ORDER: Readonly<Record<Exclude<Layout, "row" | "nchw">, readonly number[]>> = {
  nhwc: [0, 2, 3, 1],
  hwio: [2, 3, 1, 0],
  wio: [2, 1, 0],
  io: [1, 0],
};

/** Row-major elements of the logical shape -> physical order. Returns the input itself where the two are the same. */
export function toPhysical<T extends TypedArray>(data: T, shape: Shape, layout: Layout): T {
  return isRowMajor(layout) ? data : permute(data, shape, orderOf(shape, layout));
}

/** Physical order -> row-major elements of the logical shape. Returns the input itself where the two are the same. */
export function toLogical<T extends TypedArray>(data: T, shape: Shape, layout: Layout): T {
  if (isRowMajor(layout)) return data;
  const order = orderOf(shape, layout);
  const inverse = order.map((_, dimension) => order.indexOf(dimension));
  return permute(data, order.map((dimension) => shape[dimension]!), inverse);
}

type TypedArray = Float32Array | Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

function isRowMajor(layout: Layout): layout is "row" | "nchw" {
  return layout === "row" || layout === "nchw";
}

/** Returns the logical dimension at each physical position, outermost first. */
export function physicalOrder(shape: Shape, layout: Layout): readonly number[] {
  return isRowMajor(layout) ? shape.map((_, dimension) => dimension) : orderOf(shape, layout);
}

function orderOf(shape: Shape, layout: keyof typeof ORDER): readonly number[] {
  const order = ORDER[layout];
  if (order.length !== shape.length) {
    throw new Error(`Layout ${layout} needs ${order.length} dimensions, got ${formatShape(shape)}`);
  }
  return order;
}

/** Transposes row-major `data` of `shape` so that output dimension i is input dimension `order[i]`. */
function permute<T extends TypedArray>(data: T, shape: Shape, order: readonly number[]): T {
  const strides = shape.map((_, i) => sizeOf(shape.slice(i + 1)));
  const sizes = order.map((dimension) => shape[dimension]!);
  const steps = order.map((dimension) => strides[dimension]!);
  const out = new (data.constructor as new (n: number) => T)(data.length);
  const rank = sizes.length;
  const inner = sizes[rank - 1]!;
  const step = steps[rank - 1]!;
  const index = new Array<number>(rank).fill(0);
  let from = 0;
  for (let to = 0; to < out.length; to += inner) {
    for (let i = 0; i < inner; i++) out[to + i] = data[from + i * step]!;
    for (let d = rank - 2; d >= 0; d--) {
      from += steps[d]!;
      if (++index[d]! < sizes[d]!) break;
      from -= steps[d]! * sizes[d]!;
      index[d] = 0;
    }
  }
  return out;
}
