/**
 * Gradient of a max pooling with adjacent windows (stride = kernel, no padding). Every pixel belongs to at most one
 * window, so a lane takes a window and writes all of its pixels. Pixels that no window covers are zero.
 *
 * @module
 */
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import { load, store } from "./access.ts";
import { type MaxPoolGradOptions, windowsKernel } from "./max_pool_grad_windows.ts";
import { imageIndex, type PoolAttrs } from "./pool.ts";

/** Returns true if windows neither overlap nor leave gaps, and there is no padding. */
export function windowsStandApart({ kernel, stride, padding }: PoolAttrs): boolean {
  return [0, 1].every((i) => kernel[i] === stride[i] && padding[i] === 0);
}

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
