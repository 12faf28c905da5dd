/**
 * Shared setup for the kernel families of a convolution's weight gradient. Each kernel sums over shares of the output
 * into separate partial sums, which are added in a fixed order.
 *
 * @module
 */
import type { BufferRef, KernelOptions, KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { type ConvGeometry, linesOf } from "../conv_geometry.ts";
import { elementType, type FloatBuffer } from "./access.ts";
import { leastLanes, leastParts, nestedIterations } from "./loop_limit.ts";
import { partialBytes, reducePartials } from "./reduce_partials.ts";

export interface WeightGradProblem {
  readonly name: string;
  /** `[n][h][w][groups * inputChannels]` */
  readonly x: FloatBuffer;
  /** `[n][oh][ow][groups * outputChannels]` */
  readonly dy: FloatBuffer;
  /** `[tap][inputChannels][groups * outputChannels]` */
  readonly target: FloatBuffer;
  readonly geometry: ConvGeometry;
  /** True if x and dy are `[n][channels][y][x]`. */
  readonly planes: boolean;
  readonly traits: DeviceTraits;
}

/** Options of a family's kernel. */
export interface WeightGradOptions extends WeightGradProblem {
  /** f32 `[splits][rows][groups][outputChannels]`, `outputChannels` padded to a multiple of four. */
  readonly partial: BufferRef;
  /** Number of shares of the sum. */
  readonly splits: number;
}

/** Maximum size of all partial sums, in bytes. */
const MAX_PARTIAL_BYTES = 1 << 26;

/** Returns the number of rows (ky, kx, input channel) of the weight as a matrix. */
export function weightRows({ kernelSize, inputChannels }: ConvGeometry): number {
  return kernelSize[0] * kernelSize[1] * inputChannels;
}

/** Returns the sizes of {@linkcode WeightGradOptions.partial}. */
export function weightPartials(geometry: ConvGeometry, splits: number) {
  const { groups, outputChannels } = geometry;
  return { splits, rows: weightRows(geometry), groups, columns: outputChannels };
}

/**
 * Returns the number of shares: enough for `wanted` workgroups at `tiles` per share, at most `most`, and few enough to
 * keep the partial sums small. Depends on the shape only.
 *
 * @throws {InputError} if a share is too large for a software adapter
 */
export function weightGradShares(
  { geometry, traits }: WeightGradProblem,
  { tiles, wanted, most }: { readonly tiles: number; readonly wanted: number; readonly most: number },
): number {
  const room = Math.floor(
    Math.min(traits.maxStorageBindingBytes, MAX_PARTIAL_BYTES) / partialBytes(weightPartials(geometry, 1)),
  );
  const wished = Math.max(Math.ceil(wanted / tiles), leastShares(geometry, traits));
  return checkedShares(Math.max(1, Math.min(wished, most, room)), { geometry, traits });
}

/** Returns the least number of shares of the lines whose loops a software adapter does not end early. */
export function leastShares(geometry: ConvGeometry, traits: DeviceTraits): number {
  return leastLanes(linesOf(geometry), nestedIterations(1, geometry.outputSize[1]) - 1, traits);
}

/**
 * Returns the number of shares.
 *
 * @throws {InputError} if a share is too large for a software adapter
 */
export function checkedShares(
  shares: number,
  { geometry, traits }: Pick<WeightGradProblem, "geometry" | "traits">,
): number {
  const iterations = nestedIterations(Math.ceil(linesOf(geometry) / shares), geometry.outputSize[1]);
  if (leastParts(iterations, traits) > 1) {
    const pixels = [geometry.batch, ...geometry.outputSize].join(" x ");
    throw new InputError(
      `The weight gradient of a convolution sums too many pixels (${pixels}) for a software adapter, whose loops end ` +
        "early; lower loader.batchSize, or use a GPU",
    );
  }
  return shares;
}

/** Returns uniforms with the sizes of the images, and the line of x that kernel row 0 sees from the first line of dy. */
export function lineUniforms(geometry: ConvGeometry) {
  return { ...imageUniforms(geometry), startY: { i32: -geometry.padding[0] } };
}

/** Returns the plan of a kernel that writes partial sums of the given shape. */
export function weightGradPlan(
  problem: WeightGradProblem,
  splits: number,
  kernelOf: (options: WeightGradOptions) => KernelSpec,
  partials = weightPartials(problem.geometry, splits),
): KernelPlan {
  const { target, traits } = problem;
  const partial = { workspace: 0 };
  const kernel = kernelOf({ ...problem, partial, splits });
  return {
    name: kernel.name,
    kernels: [kernel, reducePartials({ ...partials, partial, target, traits })],
    workspace: [partialBytes(partials)],
  };
}

/** Declares the buffers with the given numbers per element. */
export function weightGradBuffers(
  { x, dy, partial }: WeightGradOptions,
  width: { readonly x: 1 | 4; readonly dy: 1 | 4; readonly partial?: 1 | 4 },
): KernelOptions["buffers"] {
  return {
    x: { ref: x.ref, type: elementType(x.dtype, width.x), access: "read" },
    dy: { ref: dy.ref, type: elementType(dy.dtype, width.dy), access: "read" },
    partial: { ref: partial, type: elementType("f32", width.partial ?? 4) },
  };
}

/** Returns uniforms with the sizes of the images that the sum runs over. */
export function imageUniforms({ inputSize, outputSize }: ConvGeometry) {
  return { inputY: inputSize[0], inputX: inputSize[1], outputY: outputSize[0], outputX: outputSize[1] };
}

/** Returns uniforms that map an output pixel to the input pixel that a tap sees. */
export function windowUniforms({ kernelSize, stride, padding, dilation }: ConvGeometry) {
  return {
    kernelX: kernelSize[1],
    strideY: stride[0],
    strideX: stride[1],
    paddingY: { i32: padding[0] },
    paddingX: { i32: padding[1] },
    dilationY: dilation[0],
    dilationX: dilation[1],
  };
}
