/**
 * Shared setup for the kernels of a max pooling's gradient in which a lane writes all pixels of a window or of a block.
 *
 * @module
 */
import type { Shape } from "../../runtime/core/shape.ts";
import { defineKernel, type KernelPlan, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, vectorWidth } from "./access.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { declare, variantName } from "./tensors.ts";

const LANES = 64;

/** WGSL for the window or block of a lane. */
const WINDOW_IN_PIXELS = `let c = lane % u.channels;
let window = lane / u.channels;
let column = window % u.columns;
let line = window / u.columns;
let row = line % u.rows;
let n = line / u.rows;`;

const WINDOW_IN_PLANES = `let column = lane % u.columns;
let row = lane / u.columns % u.rows;
let plane = lane / u.columns / u.rows;
let c = plane % u.channels;
let n = plane / u.channels;`;

export interface MaxPoolGradOptions {
  readonly dy: FloatBuffer;
  readonly images: FloatBuffer;
  readonly pooled: FloatBuffer;
  readonly target: FloatBuffer;
  /** `[n, c, h, w]` of the images. */
  readonly shape: Shape;
  /** Height and width of the pooled images. */
  readonly pooledSize: readonly [number, number];
  /** True if images are NCHW. */
  readonly planes: boolean;
  readonly traits: DeviceTraits;
}

/**
 * Returns a kernel with one lane per window or per block of pixels; there are `rows` by `columns` of them per image.
 */
export function windowsKernel(
  { dy, images, pooled, target, shape, pooledSize, planes, traits }: MaxPoolGradOptions,
  { family, rows, columns, uniforms, body }: {
    readonly family: string;
    readonly rows: number;
    readonly columns: number;
    readonly uniforms: Readonly<Record<string, number>>;
    /**
     * Returns statements that write the lane's pixels of `width` channels; they can use its window or block and `V`.
     */
    readonly body: (width: 1 | 4) => string;
  },
): KernelPlan {
  const [n, c, height, width] = shape as readonly [number, number, number, number];
  const channels = planes ? 1 : vectorWidth(c);
  const lanes = n * rows * columns * (c / channels);
  const name = `max_pool2d_grad.${family}.${variantName({ dy, images, pooled, target }, channels)}${
    planes ? ".planes" : ""
  }`;
  const kernel = defineKernel({
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
      pooledHeight: pooledSize[0],
      pooledWidth: pooledSize[1],
      ...uniforms,
    },
    workgroupSize: [LANES],
    prelude: `alias V = ${elementType("f32", channels)};`,
    grid: linearGrid(lanes, LANES, traits.maxWorkgroupsPerDimension),
    body: `
let lane = ${LINEAR_INDEX(LANES)};
if (lane >= u.lanes) { return; }
${planes ? WINDOW_IN_PLANES : WINDOW_IN_PIXELS}
${body(channels)}`,
  });
  return { name, kernels: [kernel], workspace: [] };
}
