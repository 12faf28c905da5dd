/**
 * Images of another size whose pixels are weighted means of the source's pixels, with a weight per row times a weight per
 * column: upsampling and adaptive pooling. The gradient is the same computation with the weights transposed.
 *
 * @module
 */

import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef } from "../runtime/graph/op.ts";
import { bytesOf } from "./buffers.ts";
import { load } from "./kernels/access.ts";
import type { Pair } from "./conv_geometry.ts";
import { gradientAliases } from "./gradient_aliases.ts";
import { stepLoop, stepOfWindow } from "./kernels/loop_limit.ts";
import { pixelKernel, requireImages, unpooled } from "./kernels/pool.ts";
import { inputBuffer, outputBuffer } from "./kernels/tensors.ts";

/** Weights of the source pixels that a pixel of the result is the sum of, along one axis. */
interface Taps {
  /** First source pixel. */
  readonly first: number;
  /** Weights of that and the following source pixels. */
  readonly weights: readonly number[];
}

/** Taps of each pixel along an axis. */
interface AxisTaps {
  readonly taps: readonly Taps[];
  /** Pixels along the source's axis. */
  readonly source: number;
  /** Largest number of taps of a pixel. */
  readonly most: number;
}

/** Returns the taps of an axis of `target` pixels. */
export function axisTaps(source: number, target: number, tapsOf: (at: number) => Taps): AxisTaps {
  const taps = Array.from({ length: target }, (_, at) => tapsOf(at));
  return { taps, source, most: taps.reduce((most, { weights }) => Math.max(most, weights.length), 0) };
}

/** Returns the taps of the gradient: the weights of the result's pixels in each source pixel. */
function transposedTaps({ taps, source }: AxisTaps): AxisTaps {
  const users = Array.from({ length: source }, () => new Map<number, number>());
  taps.forEach(({ first, weights }, at) => {
    weights.forEach((weight, i) => users[first + i]!.set(at, (users[first + i]!.get(at) ?? 0) + weight));
  });
  return axisTaps(taps.length, source, (at) => {
    const places = [...users[at]!.keys()];
    if (places.length === 0) return { first: 0, weights: [] };
    // In ascending order, since the pixels of the result are
    const [first, last] = [places[0]!, places.at(-1)!];
    return {
      first,
      weights: Array.from({ length: last - first + 1 }, (_, i) => users[at]!.get(first + i) ?? 0),
    };
  });
}

/** Floats in a uniform buffer of 64 KiB, less other uniforms. */
const MAX_TABLE = 16_000;

export interface ResampleAttrs {
  /** Height and width of the source and of the result. */
  readonly source: Pair;
  readonly target: Pair;
}

export interface ResampleOp<A extends ResampleAttrs> extends OpDef<A> {
  readonly gradientOp: OpDef<A>;
}

/**
 * Defines an op that resamples images.
 *
 * @param tapsOf returns the source pixels of each pixel of the result along an axis
 */
export function defineResampling<A extends ResampleAttrs>(
  { type, aliases = {}, tapsOf }: {
    type: string;
    aliases?: OpDef["aliases"];
    tapsOf: (attrs: A, axis: 0 | 1) => AxisTaps;
  },
): ResampleOp<A> {
  const both = (attrs: A) => [tapsOf(attrs, 0), tapsOf(attrs, 1)] as const;
  const flops = (attrs: A, planes: number) => {
    const [rows, columns] = both(attrs).map(({ taps }) => taps.reduce((sum, { weights }) => sum + weights.length, 0));
    return 2 * planes * rows! * columns!;
  };
  const gradientOp: OpDef<A> = {
    type: `${type}_grad`,
    precision: "follow",
    aliases: gradientAliases(aliases),
    shape: ([dy], { source }) => [{ ...dy!, shape: [...dy!.shape.slice(0, 2), ...source] }],
    cost: (inputs, outputs, attrs) => ({
      flops: flops(attrs, sizeOf(inputs[0]!.shape.slice(0, 2))),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    candidates: ({ inputs, outputs, attrs, traits }) => {
      const [rows, columns] = both(attrs);
      return [resampleKernel(`${type}_grad`, inputs, outputs, [transposedTaps(rows), transposedTaps(columns)], traits)];
    },
  };
  return {
    type,
    precision: "follow",
    aliases: aliases!,
    gradientOp,
    shape([x], attrs) {
      requireImages(x!, type);
      const axes = both(attrs);
      const numbers = (tables: readonly AxisTaps[]) => tables.reduce((sum, axis) => sum + tableLength(axis), 0);
      if (Math.max(numbers(axes), numbers(axes.map(transposedTaps))) > MAX_TABLE) {
        throw new InputError(
          `${type} cannot make images of ${formatShape(attrs.target)} from ${
            formatShape(attrs.source)
          }: its table of ` +
            "weights exceeds 64 KiB; expected a smaller height and width",
        );
      }
      return [{ ...x!, shape: [...x!.shape.slice(0, 2), ...attrs.target] }];
    },
    cost: (inputs, outputs, attrs) => ({
      flops: flops(attrs, sizeOf(inputs[0]!.shape.slice(0, 2))),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    gradient: (node, [dy], needs) => {
      if (!dy || !needs[0]) return [null];
      return dy.graph.apply(gradientOp, node.attrs, [dy]);
    },
    candidates: ({ inputs, outputs, attrs, traits }) => [
      resampleKernel(type, inputs, outputs, both(attrs), traits),
    ],
  };
}

type Context = Parameters<OpDef["candidates"]>[0];

/** Returns the kernel that sums the weighted source pixels of each pixel. */
function resampleKernel(
  name: string,
  inputs: Context["inputs"],
  outputs: Context["outputs"],
  [rows, columns]: readonly [AxisTaps, AxisTaps],
  traits: Context["traits"],
) {
  const images = inputBuffer(inputs, 0);
  const table = [rows, columns].flatMap(tableOf);
  const step = stepOfWindow(rows.most, columns.most, traits);
  const [, , imageHeight, imageWidth] = inputs[0]!.shape as readonly number[];
  return pixelKernel({
    name: step === 1 ? name : `${name}.by${step}`,
    traits,
    target: outputs[0]!,
    inputs: { images },
    output: outputBuffer(outputs, 0),
    uniforms: {
      imageHeight: imageHeight!,
      imageWidth: imageWidth!,
      rowTaps: rows.most,
      columnTaps: columns.most,
      columnStart: tableLength(rows),
      table: { table },
    },
    prelude: "fn entry(k: u32) -> f32 { return u.table[k / 4u][k % 4u]; }",
    body: (lane) =>
      `  let rowAt = row * (u.rowTaps + 2u);
  let columnAt = u.columnStart + column * (u.columnTaps + 2u);
  let top = u32(entry(rowAt));
  let rows = u32(entry(rowAt + 1u));
  let left = u32(entry(columnAt));
  let columns = u32(entry(columnAt + 1u));
  var value = ${lane.zero};
  for (var a = 0u; a < rows; a++) {
    let rowWeight = entry(rowAt + 2u + a);
    ${
        stepLoop({ first: "0u", by: "1u", end: "columns", step }, (b, kept) =>
          `let weight = ${kept(`rowWeight * entry(columnAt + 2u + ${b})`, "0.0")};
      value += weight * ${load("images", unpooled(lane, "(top + a)", `(left + ${b})`), images.dtype, lane.width)};`)
      }
  }`,
  });
}

/** Returns the first source pixel, the number of taps and the padded weights of each pixel. */
function tableOf({ taps, most }: AxisTaps): number[] {
  return taps.flatMap(({ first, weights }) => [
    first,
    weights.length,
    ...weights,
    ...new Array<number>(most - weights.length).fill(0),
  ]);
}

function tableLength({ taps, most }: AxisTaps): number {
  return taps.length * (most + 2);
}
