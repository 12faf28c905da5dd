/**
 * Windows over images, shared by the pooling ops. Each lane computes one pixel of one channel, or of four channels in
 * NHWC if their number is a multiple of four.
 *
 * @module
 */
import { InputError } from "../../runtime/core/errors.ts";
import { formatShape, type Shape } from "../../runtime/core/shape.ts";
import {
  type BufferRef,
  defineKernel,
  type KernelPlan,
  LINEAR_INDEX,
  linearGrid,
  type UniformValue,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { formatType, inPlanes, isImages, type TensorType } from "../../runtime/graph/types.ts";
import { elementType, type FloatBuffer, store, vectorWidth } from "./access.ts";
import { declare, floatOf, variantName } from "./tensors.ts";

/** Height and width of a sliding window and its movement. */
export interface PoolAttrs {
  readonly kernel: readonly [number, number];
  readonly stride: readonly [number, number];
  readonly padding: readonly [number, number];
}

export type PoolOptions = Pick<PoolAttrs, "kernel"> & Partial<PoolAttrs>;

/** Fills in PyTorch's defaults: a stride of the kernel's size and no padding. */
export function poolAttrs(options: PoolOptions): PoolAttrs {
  return { kernel: options.kernel, stride: options.stride ?? options.kernel, padding: options.padding ?? [0, 0] };
}

/**
 * Returns the type of pooled images: `[n, c, h, w]` -> `[n, c, floor((h + 2 padding - kernel) / stride) + 1, ...]`.
 *
 * @throws {InputError} if the input does not hold images or the window does not fit
 */
export function pooledType(x: TensorType, { kernel, stride, padding }: PoolAttrs, op: string): TensorType {
  requireImages(x, op);
  const integers = [...kernel, ...stride, ...padding].every(Number.isInteger);
  const halved = [0, 1].every((i) => padding[i]! >= 0 && 2 * padding[i]! <= kernel[i]!);
  if (!integers || !halved || [...kernel, ...stride].some((n) => n < 1)) {
    throw new InputError(
      `${op} expects kernel and stride of at least 1 and a padding of at most half the kernel, got kernel ` +
        `${formatShape(kernel)}, stride ${formatShape(stride)}, padding ${formatShape(padding)}`,
    );
  }
  const [n, c, ...sizes] = x.shape as readonly [number, number, number, number];
  const pooled = sizes.map((size, i) => Math.floor((size + 2 * padding[i]! - kernel[i]!) / stride[i]!) + 1);
  if (pooled.some((size) => size < 1)) {
    throw new InputError(
      `${op} cannot place a window of ${formatShape(kernel)} in images of ${formatShape(sizes)} padded by ` +
        `${formatShape(padding)}, input ${formatShape(x.shape)}; pool less often or use larger images`,
    );
  }
  return { ...x, shape: [n, c, ...pooled] };
}

/** Checks that a tensor holds float images `[n, c, h, w]`. */
export function requireImages(x: TensorType, op: string): void {
  floatOf(x, op);
  if (!isImages(x)) throw new InputError(`${op} expects images [n, c, h, w], got ${formatType(x)}`);
}

export interface PixelKernelOptions {
  readonly name: string;
  readonly traits: DeviceTraits;
  /** Type of the images; each lane computes one of their pixels. */
  readonly target: TensorType;
  readonly inputs: Readonly<Record<string, FloatBuffer>>;
  readonly output: { readonly ref: BufferRef; readonly dtype: FloatBuffer["dtype"] };
  /** Fields of `u` in addition; a table comes last. */
  readonly uniforms: Readonly<Record<string, UniformValue>>;
  readonly prelude?: string;
  /**
   * Returns statements that compute `value` of type `V` from the lane's position: image `n`, row `y`, column `x`, and
   * channel or group of four channels `c`, of `u.channels`.
   */
  readonly body: (lane: PixelLane) => string;
}

/** Building blocks of a lane's statements. */
export interface PixelLane {
  readonly width: 1 | 4;
  readonly zero: string;
  /** Returns WGSL for the index of the lane's channel at a row and column of images of the given size. */
  readonly at: (row: string, column: string, height: string, width: string) => string;
}

/** Returns a kernel with one lane per pixel of `target` and per channel or group of four channels. */
export function pixelKernel(options: PixelKernelOptions): KernelPlan {
  const { target, traits, inputs, output } = options;
  const [n, c, height, width] = target.shape as readonly [number, number, number, number];
  const planes = inPlanes(target);
  const channels = planes ? 1 : vectorWidth(c);
  const lanes = n * height * width * (c / channels);
  const name = `${options.name}.${variantName({ ...inputs, output }, channels)}${planes ? ".planes" : ""}`;
  const size = 64;
  const lane: PixelLane = { width: channels, zero: "V(0.0)", at: (...place) => imageIndex(planes, ...place) };
  const kernel = defineKernel({
    name,
    buffers: {
      ...Object.fromEntries(Object.entries(inputs).map(([key, buffer]) => [key, declare(buffer, channels)])),
      written: declare(output, channels),
    },
    uniforms: { lanes, channels: c / channels, height, width, ...options.uniforms },
    workgroupSize: [size],
    prelude: `alias V = ${elementType("f32", channels)};${options.prelude === undefined ? "" : `\n${options.prelude}`}`,
    grid: linearGrid(lanes, size, traits.maxWorkgroupsPerDimension),
    body: `  let lane = ${LINEAR_INDEX(size)};
  if (lane >= u.lanes) { return; }
  ${planes ? PLACE_IN_PLANES : PLACE_IN_PIXELS}
${options.body(lane)}
  ${store("written", "lane", "value", output, channels)}`,
  });
  return { name, kernels: [kernel], workspace: [] };
}

const PLACE_IN_PIXELS = `let c = lane % u.channels;
  let pixel = lane / u.channels;
  let column = pixel % u.width;
  let row = pixel / u.width % u.height;
  let n = pixel / u.width / u.height;`;

const PLACE_IN_PLANES = `let column = lane % u.width;
  let row = lane / u.width % u.height;
  let plane = lane / u.width / u.height;
  let c = plane % u.channels;
  let n = plane / u.channels;`;

/** Returns WGSL for the index of an element of image `n` and channel or group `c`. */
export function imageIndex(planes: boolean, row: string, column: string, height: string, width: string): string {
  return planes
    ? `((n * u.channels + c) * ${height} + ${row}) * ${width} + ${column}`
    : `((n * ${height} + ${row}) * ${width} + ${column}) * u.channels + c`;
}

/** Returns uniforms with the size of the images, their pooled size, and the windows' kernel, stride and padding. */
export function windowUniforms(images: Shape, pooled: Shape, attrs: PoolAttrs): Record<string, number> {
  return {
    imageHeight: images[2]!,
    imageWidth: images[3]!,
    pooledHeight: pooled[2]!,
    pooledWidth: pooled[3]!,
    kernelHeight: attrs.kernel[0],
    kernelWidth: attrs.kernel[1],
    strideHeight: attrs.stride[0],
    strideWidth: attrs.stride[1],
    paddingHeight: attrs.padding[0],
    paddingWidth: attrs.padding[1],
  };
}

/**
 * Returns WGSL that declares the valid rows `top` .. `bottom` and columns `left` .. `right` (exclusive) of a window.
 */
export function windowBounds(row: string, column: string): string {
  const bounds = (first: string, last: string, at: string, axis: string) =>
    `let ${first} = u32(max(i32(${at} * u.stride${axis}) - i32(u.padding${axis}), 0));
  let ${last} = min(${at} * u.stride${axis} + u.kernel${axis} - u.padding${axis}, u.image${axis});`;
  return `${bounds("top", "bottom", row, "Height")}
  ${bounds("left", "right", column, "Width")}`;
}

/**
 * Returns WGSL that runs `body`, in row-major order, for each window that covers the pixel at `row`, `column`. The
 * window is at `pooledRow` and `pooledColumn`; `place` is its index in the pooled images.
 */
export function forEachWindow({ at }: PixelLane, body: string): string {
  const range = (name: string, at: string, axis: string) =>
    `let ${name}Padded = ${at} + u.padding${axis};
  let ${name}First = select(0u, (${name}Padded - u.kernel${axis}) / u.stride${axis} + 1u, ${name}Padded >= u.kernel${axis});
  let ${name}End = min(${name}Padded / u.stride${axis} + 1u, u.pooled${axis});`;
  return `  ${range("row", "row", "Height")}
  ${range("column", "column", "Width")}
  for (var pooledRow = rowFirst; pooledRow < rowEnd; pooledRow++) {
  for (var pooledColumn = columnFirst; pooledColumn < columnEnd; pooledColumn++) {
    let place = ${at("pooledRow", "pooledColumn", "u.pooledHeight", "u.pooledWidth")};
${body}
  }
  }`;
}

/** Returns the most rows and columns of windows that cover a pixel. */
export function mostWindows({ kernel, stride }: PoolAttrs, pooled: Shape): readonly [rows: number, columns: number] {
  const along = (i: 0 | 1) => Math.min(Math.ceil(kernel[i] / stride[i]), pooled[2 + i]!);
  return [along(0), along(1)];
}

/** Returns WGSL for the index of the unpooled images at a row and column. */
export function unpooled({ at }: PixelLane, row: string, column: string): string {
  return at(row, column, "u.imageHeight", "u.imageWidth");
}
