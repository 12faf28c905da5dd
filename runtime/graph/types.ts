import { type DType, DTYPE_BYTES } from "../core/dtype.ts";
import type { Layout } from "../core/layout.ts";
import { roundUp } from "../core/round_up.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../core/shape.ts";

/** A tensor's type: logical shape, element type, and order of the elements in memory. */
export interface TensorType {
  readonly shape: Shape;
  readonly dtype: DType;
  readonly layout: Layout;
}

/** Formats a type, such as `f32[32, 3, 32, 32]`. */
export function formatType(type: TensorType): string {
  return `${type.dtype}${formatShape(type.shape)}`;
}

export function isSameType(a: TensorType | undefined, b: TensorType): boolean {
  return a !== undefined && a.dtype === b.dtype && a.layout === b.layout && sameShape(a.shape, b.shape);
}

/** Returns the size of a buffer for a tensor, in bytes: a multiple of 16. */
export function bufferBytes({ shape, dtype }: TensorType): number {
  return roundUp(sizeOf(shape) * DTYPE_BYTES[dtype], 16);
}

/** Order of images in memory. A tensor holds images if its layout is one of these, regardless of its rank. */
export type ImageLayout = Extract<Layout, "nhwc" | "nchw">;

/** Forms of attention: products and a softmax, tiles without a matrix of weights, or the one that suits the length. */
export const ATTENTION_FORMS = ["auto", "composed", "tiled"] as const;

export type AttentionSetting = (typeof ATTENTION_FORMS)[number];

export function isImages({ layout }: TensorType): boolean {
  return layout === "nhwc" || layout === "nchw";
}

/** Returns the type of a batch or a layer's result: images if it has four dimensions, row-major otherwise. */
export function activation(shape: Shape, dtype: DType, images: ImageLayout = "nhwc"): TensorType {
  return { shape, dtype, layout: shape.length === 4 ? images : "row" };
}

/** Returns true for images that store each channel as a plane (NCHW). */
export function inPlanes({ layout }: TensorType): boolean {
  return layout === "nchw";
}

/** Returns a type in row-major order. */
export function rowMajor(shape: Shape, dtype: DType): TensorType {
  return { shape, dtype, layout: "row" };
}

/** Initial values of a parameter or state tensor. Bounds and deviations are in the parameter's unit. */
export type Initializer = Distribution & {
  /** Row, in the first dimension, that starts at 0. */
  readonly zeroRow?: number;
};

type Distribution =
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: "uniform"; readonly low: number; readonly high: number }
  | { readonly kind: "normal"; readonly mean: number; readonly deviation: number }
  /** Row-major values of the logical shape. */
  | { readonly kind: "values"; readonly values: Float32Array };

/**
 * Kinds of leaves:
 * - `input`: a field of the batch
 * - `parameter`: trained; `state`: kept across steps but not trained (running statistics)
 * - `stepState`: `u32[4]` of seed, step, updates and 0
 * - `lossScale`: `f32[1]`, the factor on the loss
 * - `position`: `i32[1]`, the place in a sequence that the model counts, such as the tokens in its caches
 */
export type LeafKind = "input" | "parameter" | "state" | "stepState" | "lossScale" | "position";
