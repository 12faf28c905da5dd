/**
 * Poolings over one or two dimensions.
 *
 * @module
 */
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
  const taps: Tensor[] = [];
  for (let row = 0; row < kernel[0]; row++) {
    for (let column = 0; column < kernel[1]; column++) taps.push(tapOf(around, window, [row, column]));
  }
  return taps.reduce((a, b) => maximum(a, b));
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
  if (dilation.some((n) => n !== 1)) throw new InputError("dilations beside 1 are not supported");
  if (even !== null) {
    return avgPool2d(x, { kernel, stride, padding: even, countIncludePad: includesPadding });
  }
  const counts = countsOf(window, x.shape.slice(2) as unknown as Pair, includesPadding);
  const means = avgPool2d(padded(x, sides, 0), { kernel, stride });
  const all = sizeOf(kernel);
  const factors = Constant.of("float", [1, 1, ...window.size], counts.map((count) => all / count));
  return mul(means, node.toTensor(factors, "counts"));
}

/** Returns the number of elements in each window. Padding counts if it is to, but not what ceil_mode adds. */
function countsOf({ kernel, stride, size, pads }: PooledWindow, images: Pair, includesPadding: boolean): number[] {
  const along = (i: 0 | 1) =>
    Array.from({ length: size[i] }, (_, at) => {
      const [before, after] = pads[i];
      const start = at * stride[i] - before;
      const [low, high] = includesPadding ? [-before, images[i] + after] : [0, images[i]];
      return Math.min(start + kernel[i], high) - Math.max(start, low);
    });
  const columns = along(1);
  return along(0).flatMap((row) => columns.map((column) => row * column));
}

/** The p-norm of each window: the p-th root of the sum of the p-th powers of sizes. */
function normPool(x: Tensor, { kernel, stride, dilation, sides }: PooledWindow, node: Application): Tensor {
  const p = node.attributes.integer("p", 2);
  if (dilation.some((n) => n !== 1)) throw new InputError("dilations beside 1 are not supported");
  const powers = avgPool2d(padded(pow(abs(x), p), sides, 0), { kernel, stride });
  return pow(mul(powers, sizeOf(kernel)), 1 / p);
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
