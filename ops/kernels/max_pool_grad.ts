/**
 * Gradient of a max pooling whose windows stand side by side (stride = kernel, no padding): every pixel belongs to one window
 * at most, so that a lane takes a window and writes all of its pixels. Pixels that no window covers are zero.
 *
 * @module
 */
import type { Shape } from "../../runtime/core/shape.ts";
import { defineKernel, type KernelPlan, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, load, store, vectorWidth } from "./access.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { imageIndex, type PoolAttrs } from "./pool.ts";
import { declare, variantName } from "./tensors.ts";

const LANES = 64;

/** WGSL for the window of a lane, or for the block of pixels behind a window's first. */
export const WINDOW_IN_PIXELS = `let c = lane % u.channels;
let window = lane / u.channels;
let column = window % u.columns;
let line = window / u.columns;
let row = line % u.rows;
let n = line / u.rows;`;

export const WINDOW_IN_PLANES = `let column = lane % u.columns;
let row = lane / u.columns % u.rows;
let plane = lane / u.columns / u.rows;
let c = plane % u.channels;
let n = plane / u.channels;`;

/** Whether windows neither overlap nor leave gaps nor reach beyond the image at its beginning. */
export function windowsStandApart({ kernel, stride, padding }: PoolAttrs): boolean {
  return [0, 1].every((i) => kernel[i] === stride[i] && padding[i] === 0);
}

export interface MaxPoolGradOptions {
  readonly dy: FloatBuffer;
  readonly images: FloatBuffer;
  readonly pooled: FloatBuffer;
  readonly target: FloatBuffer;
  /** `[n, c, h, w]` of the images. */
  readonly shape: Shape;
  /** Height and width of what was pooled. */
  readonly pooledSize: readonly [number, number];
  /** Whether images are NCHW. */
  readonly planes: boolean;
  readonly traits: DeviceTraits;
}

export function maxPoolGradApart(
  options: MaxPoolGradOptions & { readonly kernel: readonly [number, number] },
): KernelPlan {
  const { dy, images, pooled, target, kernel, planes, traits } = options;
  const [n, c, height, width] = options.shape as readonly [number, number, number, number];
  const channels = planes ? 1 : vectorWidth(c);
  const [rows, columns] = [Math.ceil(height / kernel[0]), Math.ceil(width / kernel[1])];
  const lanes = n * rows * columns * (c / channels);
  const name = `max_pool2d_grad.apart.${variantName({ dy, images, pooled, target }, channels)}${
    planes ? ".planes" : ""
  }`;
  const value = (buffer: string, index: string, { dtype }: FloatBuffer) => load(buffer, index, dtype, channels);
  const kernelSpec = defineKernel({
    name,
    buffers: {
      dy: declare(dy, channels),
      images: declare(images, channels),
      pooled: declare(pooled, channels),
      written: declare(target, channels),
    },
    uniforms: {
      lanes,
      channels: c / channels,
      rows,
      columns,
      height,
      width,
      pooledHeight: options.pooledSize[0],
      pooledWidth: options.pooledSize[1],
      kernelHeight: kernel[0],
      kernelWidth: kernel[1],
    },
    workgroupSize: [LANES],
    prelude: `alias V = ${elementType("f32", channels)};`,
    grid: linearGrid(lanes, LANES, traits.maxWorkgroupsPerDimension),
    body: `
let lane = ${LINEAR_INDEX(LANES)};
if (lane >= u.lanes) { return; }
${planes ? WINDOW_IN_PLANES : WINDOW_IN_PIXELS}
let covered = row < u.pooledHeight && column < u.pooledWidth;
let place = select(0u, ${imageIndex(planes, "row", "column", "u.pooledHeight", "u.pooledWidth")}, covered);
let largest = ${value("pooled", "place", pooled)};
let gradient = select(V(), ${value("dy", "place", dy)}, covered);
// Not yet met: the first of several equal maxima takes it all
var open = V() == V();
for (var y = row * u.kernelHeight; y < min((row + 1u) * u.kernelHeight, u.height); y++) {
  for (var x = column * u.kernelWidth; x < min((column + 1u) * u.kernelWidth, u.width); x++) {
    let at = ${imageIndex(planes, "y", "x", "u.height", "u.width")};
    let chosen = open & (${value("images", "at", images)} == largest);
    ${store("written", "at", "select(V(), gradient, chosen)", target.dtype, channels)}
    open = open & !chosen;
  }
}`,
  });
  return { name, kernels: [kernelSpec], workspace: [] };
}
