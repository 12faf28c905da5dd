/**
 * Poolings over one to three dimensions.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { abs, mul } from "../../../ops/arithmetic.ts";
import { cast } from "../../../ops/cast.ts";
import { avgPool2d } from "../../../ops/avg_pool2d.ts";
import { maximum } from "../../../ops/choice.ts";
import { max } from "../../../ops/extremes.ts";
import { globalAvgPool2d } from "../../../ops/global_avg_pool2d.ts";
import { maxPool2d } from "../../../ops/max_pool2d.ts";
import { pow } from "../../../ops/pow.ts";
import { reshape, reshapeTo } from "../../../ops/reshape.ts";
import { pad, slice } from "../../../ops/slice.ts";
import { mean, sum } from "../../../ops/sum.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { spend } from "../budget.ts";
import { limited } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant } from "../value.ts";
import { type Pair, type PooledWindow, pooledWindows } from "../window.ts";

/** Adds images `[n, c, height, width]` of the elements of a tensor. */
function imagesOf(node: Application, x: Tensor, shape: Shape): Tensor {
  return reshapeTo(x, { shape, layout: node.graph.imageLayout });
}

/** Defines a pooling; `apply` gets images and a window over them. */
function pooling(type: string, apply: (x: Tensor, window: PooledWindow, node: Application) => Tensor): Operator {
  return {
    type,
    build(node) {
      // Integers of poolings have 8 bits
      const isInteger = node.tensor(0).dtype === "i32";
      const x = node.floats(0);
      const typed = (y: Tensor) => isInteger ? cast(y, "i32") : y;
      const kernel = node.attributes.integers("kernel_shape");
      if (kernel === null || kernel.length !== x.shape.length - 2 || kernel.length < 1 || kernel.length > 3) {
        throw new InputError(
          `kernel_shape is ${kernel === null ? "missing" : formatShape(kernel)} for an input ${
            formatShape(x.shape)
          }; ` +
            "expected one to three spatial dimensions",
        );
      }
      const [n, c, ...size] = x.shape as [number, number, ...number[]];
      const [plane, along] = pooledWindows(node, size, kernel) as [PooledWindow, PooledWindow?];
      if (kernel.length === 2) return [typed(apply(x, plane, node)), null];
      const depth = along === undefined ? 1 : size[0]!;
      const images = imagesOf(node, x, [n, c * depth, along === undefined ? 1 : size[1]!, size.at(-1)!]);
      const planes = along !== undefined && isIdentity(plane) ? images : apply(images, plane, node);
      if (along === undefined) return [typed(reshape(planes, [n, c, plane.size[1]])), null];
      const columns = imagesOf(node, planes, [n, c, depth, sizeOf(plane.size)]);
      return [typed(reshape(apply(columns, along, node), [n, c, along.size[0], ...plane.size])), null];
    },
  };
}

/** Returns true for a window over single pixels, each of them. */
function isIdentity({ kernel, stride, pads }: PooledWindow): boolean {
  return sizeOf(kernel) === 1 && sizeOf(stride) === 1 && pads.flat().every((n) => n === 0);
}

function padded(x: Tensor, [rows, columns]: readonly [Pair, Pair], value: number): Tensor {
  const isNone = [...rows, ...columns].every((n) => n === 0);
  return isNone ? x : pad(x, [[0, 0], [0, 0], rows, columns], value);
}

function maximumPool(x: Tensor, window: PooledWindow, node: Application): Tensor {
  node.attributes.ignore("it concerns the places of the largest elements, which are not computed", "storage_order");
  const { kernel, stride, sides, even } = window;
  if (isDense(window) && even !== null) return maxPool2d(x, { kernel, stride, padding: even });
  const around = padded(x, sides, -Infinity);
  if (isDense(window)) return maxPool2d(around, { kernel, stride });
  return tapsOf(around, window).reduce((a, b) => maximum(a, b));
}

/** Returns the elements that the places of the kernel visit, by place. */
function tapsOf(x: Tensor, window: PooledWindow): Tensor[] {
  const [rows, columns] = window.kernel;
  spend("operations", rows * columns);
  return Array.from(
    { length: rows * columns },
    (_, i) => tapOf(x, window, [Math.floor(i / columns), i % columns]),
  );
}

/** Returns the elements that one place of the kernel visits. */
function tapOf(x: Tensor, { size, stride, dilation }: PooledWindow, place: Pair): Tensor {
  const range = (i: 0 | 1) => {
    const start = place[i] * dilation[i];
    return [start, start + (size[i] - 1) * stride[i] + 1, stride[i]] as const;
  };
  return slice(x, [null, null, range(0), range(1)]);
}

function averagePool(x: Tensor, window: PooledWindow, node: Application): Tensor {
  const { kernel, stride, sides, even } = window;
  const includesPadding = node.attributes.integer("count_include_pad", 0) !== 0;
  if (even !== null && isDense(window)) {
    return avgPool2d(x, { kernel, stride, padding: even, countIncludePad: includesPadding });
  }
  const counts = countsOf(window, x.shape.slice(2) as unknown as Pair, includesPadding);
  const means = meansOf(padded(x, sides, 0), window);
  const all = sizeOf(kernel);
  const factors = Constant.of("float", [1, 1, ...window.size], counts.map((count) => all / count));
  return mul(means, node.toTensor(factors, "counts"));
}

/** Returns the means of windows that lie inside of images. */
function meansOf(x: Tensor, window: PooledWindow): Tensor {
  const { kernel, stride } = window;
  if (isDense(window)) return avgPool2d(x, { kernel, stride });
  return mul(tapsOf(x, window).reduce((a, b) => add(a, b)), 1 / sizeOf(kernel));
}

function isDense({ dilation }: PooledWindow): boolean {
  return dilation.every((n) => n === 1);
}

/** Returns the number of elements in each window. Padding counts if it is to, but not what ceil_mode adds. */
function countsOf(
  { kernel, stride, dilation, size, pads }: PooledWindow,
  images: Pair,
  includesPadding: boolean,
): number[] {
  limited(sizeOf(size) + size[0] * kernel[0] + size[1] * kernel[1]);
  const along = (i: 0 | 1) =>
    Array.from({ length: size[i] }, (_, at) => {
      const [before, after] = pads[i];
      const start = at * stride[i] - before;
      const [low, high] = includesPadding ? [-before, images[i] + after] : [0, images[i]];
      const places = Array.from({ length: kernel[i] }, (_, k) => start + k * dilation[i]);
      return places.filter((place) => place >= low && place < high).length;
    });
  const columns = along(1);
  return along(0).flatMap((row) => columns.map((column) => row * column));
}

/** The p-norm of each window: the p-th root of the sum of the p-th powers of sizes. */
function normPool(x: Tensor, window: PooledWindow, node: Application): Tensor {
  const p = node.attributes.integer("p", 2);
  const powers = meansOf(padded(pow(abs(x), p), window.sides, 0), window);
  return pow(mul(powers, sizeOf(window.kernel)), 1 / p);
}

function overAll(type: string, apply: (x: Tensor, axes: readonly number[], node: Application) => Tensor): Operator {
  return {
    type,
    build(node) {
      const x = node.floats(0);
      return apply(x, x.shape.map((_, i) => i).slice(2), node);
    },
  };
}

export const POOLINGS: readonly Operator[] = [
  pooling("MaxPool", maximumPool),
  pooling("AveragePool", averagePool),
  pooling("LpPool", normPool),
  overAll("GlobalAveragePool", (x, axes) => axes.length === 2 ? globalAvgPool2d(x) : mean(x, { axes, keepDims: true })),
  overAll("GlobalMaxPool", (x, axes) => max(x, { axes, keepDims: true })),
  overAll("GlobalLpPool", (x, axes, node) => {
    const p = node.attributes.integer("p", 2);
    return pow(sum(pow(abs(x), p), { axes, keepDims: true }), 1 / p);
  }),
];
