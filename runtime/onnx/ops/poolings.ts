/**
 * Poolings over one or two dimensions.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { abs, mul } from "../../../ops/arithmetic.ts";
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
import { formatShape, sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import type { Operator } from "../operator.ts";
import { Constant } from "../value.ts";
import { type Pair, type PooledWindow, pooledWindow } from "../window.ts";

/** Lower than every finite number that a network computes, and finite in f32. */
const LOWEST = -3e38;

/** Images of a pooling's input; a sequence is images of height 1. */
function imagesOf(node: Application, x: Tensor): Tensor {
  if (x.shape.length === 4) return x;
  const [n, c, length] = x.shape as [number, number, number];
  return reshapeTo(x, { shape: [n, c, 1, length], layout: node.graph.imageLayout });
}

/** Defines a pooling; `apply` gets images and a window over them. */
function pooling(type: string, apply: (x: Tensor, window: PooledWindow, node: Application) => Tensor): Operator {
  return {
    type,
    build(node) {
      const x = node.floats(0);
      const kernel = node.attributes.integers("kernel_shape");
      if (kernel === null || kernel.length !== x.shape.length - 2 || kernel.length < 1 || kernel.length > 2) {
        throw new InputError(
          `kernel_shape is ${kernel === null ? "missing" : formatShape(kernel)} for an input ${
            formatShape(x.shape)
          }; ` +
            "expected one or two spatial dimensions",
        );
      }
      const window = pooledWindow(node, x.shape.slice(2), kernel);
      const y = apply(imagesOf(node, x), window, node);
      const [n, c, , length] = y.shape as [number, number, number, number];
      return [kernel.length === 2 ? y : reshape(y, [n, c, length]), null];
    },
  };
}

function padded(x: Tensor, [rows, columns]: readonly [Pair, Pair], value: number): Tensor {
  const isNone = [...rows, ...columns].every((n) => n === 0);
  return isNone ? x : pad(x, [[0, 0], [0, 0], rows, columns], value);
}

function maximumPool(x: Tensor, window: PooledWindow, node: Application): Tensor {
  node.attributes.ignore("storage_order");
  const { kernel, stride, dilation, sides, even } = window;
  const isDense = dilation.every((n) => n === 1);
  if (isDense && even !== null) return maxPool2d(x, { kernel, stride, padding: even });
  const around = padded(x, sides, LOWEST);
  if (isDense) return maxPool2d(around, { kernel, stride });
  return tapsOf(around, window).reduce((a, b) => maximum(a, b));
}

/** Returns the elements that each place of the kernel visits. */
function tapsOf(x: Tensor, window: PooledWindow): Tensor[] {
  const taps: Tensor[] = [];
  for (let row = 0; row < window.kernel[0]; row++) {
    for (let column = 0; column < window.kernel[1]; column++) taps.push(tapOf(x, window, [row, column]));
  }
  return taps;
}

/** Returns the mean of each window, which lies inside. */
function meansOf(x: Tensor, window: PooledWindow): Tensor {
  const { kernel, stride, dilation } = window;
  if (dilation.every((n) => n === 1)) return avgPool2d(x, { kernel, stride });
  return mul(tapsOf(x, window).reduce((a, b) => add(a, b)), 1 / sizeOf(kernel));
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
  const { kernel, stride, dilation, sides, even } = window;
  const includesPadding = node.attributes.integer("count_include_pad", 0) !== 0;
  if (even !== null && dilation.every((n) => n === 1)) {
    return avgPool2d(x, { kernel, stride, padding: even, countIncludePad: includesPadding });
  }
  const counts = countsOf(window, x.shape.slice(2) as unknown as Pair, includesPadding);
  const means = meansOf(padded(x, sides, 0), window);
  const all = sizeOf(kernel);
  const factors = Constant.of("float", [1, 1, ...window.size], counts.map((count) => all / count));
  return mul(means, node.toTensor(factors, "counts"));
}

/** Returns the number of elements in each window. Padding counts if it is to, but not what ceil_mode adds. */
function countsOf(
  { kernel, stride, dilation, size, pads }: PooledWindow,
  images: Pair,
  includesPadding: boolean,
): number[] {
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
