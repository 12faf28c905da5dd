/**
 * Kernels of a max pooling's gradient in which a lane writes all pixels of a window or of a block.
 *
 * @module
 */

import { defineKernel, type KernelPlan, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import { elementType, type FloatBuffer, load, store, vectorWidth } from "./access.ts";
import { imageIndex, type PoolAttrs } from "./pool.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { declare, variantName } from "./tensors.ts";

/** Returns true if windows neither overlap nor leave gaps, and there is no padding. */
export function windowsStandApart({ kernel, stride, padding }: PoolAttrs): boolean {
  return [0, 1].every((i) => kernel[i] === stride[i] && padding[i] === 0);
}

/**
 * Gradient of a max pooling with adjacent windows (stride = kernel, no padding). Every pixel belongs to at most one
 * window, so a lane takes a window and writes all of its pixels. Pixels that no window covers are zero.
 */
export function maxPoolGradApart(
  options: MaxPoolGradOptions & { readonly kernel: readonly [number, number] },
): KernelPlan {
  const { dy, images, pooled, target, kernel, planes, shape } = options;
  return windowsKernel(options, {
    family: "apart",
    rows: Math.ceil(shape[2]! / kernel[0]),
    columns: Math.ceil(shape[3]! / kernel[1]),
    uniforms: { kernelHeight: kernel[0], kernelWidth: kernel[1] },
    body: (width) =>
      `let covered = row < u.pooledHeight && column < u.pooledWidth;
let place = select(0u, ${imageIndex(planes, "row", "column", "u.pooledHeight", "u.pooledWidth")}, covered);
let largest = ${load("pooled", "place", pooled.dtype, width)};
let gradient = select(V(), ${load("dy", "place", dy.dtype, width)}, covered);
// Not yet met: the first of several equal maxima takes it all
var open = V() == V();
for (var y = row * u.kernelHeight; y < min((row + 1u) * u.kernelHeight, u.height); y++) {
  for (var x = column * u.kernelWidth; x < min((column + 1u) * u.kernelWidth, u.width); x++) {
    let at = ${imageIndex(planes, "y", "x", "u.height", "u.width")};
    let chosen = open & (${load("images", "at", images.dtype, width)} == largest);
    ${store("written", "at", "select(V(), gradient, chosen)", target, width)}
    open = open & !chosen;
  }
}`,
  });
}

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
function windowsKernel(
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

/** Maximum number of comparisons in a lane's code, and of pixels. */
const MAX = 64;

/** Returns the numbers of windows that overlap a block, in height and width. */
function reaching({ kernel, stride }: PoolAttrs): [number, number] {
  return [0, 1].map((i) => Math.ceil(kernel[i]! / stride[i]!)) as [number, number];
}

/** Returns true if the code of a lane has a reasonable length. */
export function blocksFit(attrs: PoolAttrs): boolean {
  const [rows, columns] = reaching(attrs);
  return rows * columns * sizeOf(attrs.kernel) <= MAX && sizeOf(attrs.stride) <= MAX;
}

/**
 * Gradient of a max pooling with overlapping windows, for GPUs. A lane takes the block of pixels between the start of
 * one window and the start of the next, and reads each pixel of the windows that overlap the block once. Sums are in
 * the order of the windows, as in the kernel with one lane per pixel.
 */
export function maxPoolGradBlocks(options: MaxPoolGradOptions & { readonly attrs: PoolAttrs }): KernelPlan {
  const { shape, attrs: { kernel, stride, padding } } = options;
  return windowsKernel(options, {
    family: `blocks.${kernel.join("x")}.${stride.join("x")}`,
    rows: Math.ceil((shape[2]! + padding[0]) / stride[0]),
    columns: Math.ceil((shape[3]! + padding[1]) / stride[1]),
    uniforms: { paddingHeight: padding[0], paddingWidth: padding[1] },
    body: (width) => body(options, width),
  });
}

function body(
  { dy, images, pooled, target, planes, attrs: { kernel, stride }, attrs }: Parameters<typeof maxPoolGradBlocks>[0],
  width: 1 | 4,
): string {
  const [windowRows, windowColumns] = reaching(attrs);
  const known = new Set<string>();
  const lines: string[] = [];
  /** Returns the variable of the pixel at `row`, `column` from the block's first pixel; its name has no minus sign. */
  const pixel = (row: number, column: number): string => {
    const [r, c] = [row + kernel[0] * windowRows, column + kernel[1] * windowColumns];
    const id = `${r}_${c}`;
    const once = (key: string, line: string) => {
      if (!known.has(key)) lines.push(line);
      known.add(key);
    };
    once(`y${r}`, `let y${r} = u32(top + ${row});\nlet inY${r} = y${r} < u.height;`);
    once(`x${c}`, `let x${c} = u32(left + ${column});\nlet inX${c} = x${c} < u.width;`);
    const at = imageIndex(planes, `y${r}`, `x${c}`, "u.height", "u.width");
    once(
      id,
      `let in${id} = inY${r} && inX${c};
let at${id} = select(0u, ${at}, in${id});
let pixel${id} = ${load("images", `at${id}`, images.dtype, width)};`,
    );
    return id;
  };
  const own = Array.from(
    { length: stride[0] * stride[1] },
    (_, i) => [Math.floor(i / stride[1]), i % stride[1]] as const,
  );
  for (const [row, column] of own) lines.push(`var sum${pixel(row, column)} = V();`);
  for (let back = windowRows - 1; back >= 0; back--) {
    for (let aside = windowColumns - 1; aside >= 0; aside--) {
      const place = imageIndex(planes, `(row - ${back}u)`, `(column - ${aside}u)`, "u.pooledHeight", "u.pooledWidth");
      const window = `${back}_${aside}`;
      lines.push(
        // a window before the first one is past the last one
        `let is${window} = row - ${back}u < u.pooledHeight && column - ${aside}u < u.pooledWidth;
let place${window} = select(0u, ${place}, is${window});
let largest${window} = ${load("pooled", `place${window}`, pooled.dtype, width)};
let gradient${window} = select(V(), ${load("dy", `place${window}`, dy.dtype, width)}, is${window});
// not yet met: the first of several equal maxima takes it all
var open${window} = V() == V();`,
      );
      for (let y = 0; y < kernel[0]; y++) {
        for (let x = 0; x < kernel[1]; x++) {
          const [r, c] = [y - back * stride[0], x - aside * stride[1]];
          if (r >= stride[0]) continue;
          const id = pixel(r, c);
          const hit = `hit${window}_${y}_${x}`;
          lines.push(
            `let ${hit} = select(V() != V(), open${window} & (pixel${id} == largest${window}), in${id});`,
            `open${window} = open${window} & !${hit};`,
          );
          const inBlock = r >= 0 && c >= 0 && c < stride[1];
          if (inBlock) lines.push(`sum${id} += select(V(), gradient${window}, ${hit});`);
        }
      }
    }
  }
  for (const [row, column] of own) {
    const id = pixel(row, column);
    lines.push(`if (in${id}) { ${store("written", `at${id}`, `sum${id}`, target, width)} }`);
  }
  return `let top = i32(row * ${stride[0]}u) - i32(u.paddingHeight);
let left = i32(column * ${stride[1]}u) - i32(u.paddingWidth);
${lines.join("\n")}`;
}
