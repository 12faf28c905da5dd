/**
 * Attributes of windows that move over images, which convolutions and poolings share.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../core/shape.ts";
import type { Application } from "./application.ts";

export type Pair = readonly [number, number];

/** A window over `[height, width]`; a dimension that the operator does not have has size 1. */
export interface Window {
  readonly kernel: Pair;
  readonly stride: Pair;
  readonly dilation: Pair;
  /** Elements added before and after the rows and the columns. */
  readonly pads: readonly [Pair, Pair];
  /** Elements added on both sides of rows and columns, if these are as many. */
  readonly even: Pair | null;
}

/** The window of a pooling. */
export interface PooledWindow extends Window {
  /** Height and width of the result. */
  readonly size: Pair;
  /** Elements to add so that every window lies inside: `pads`, and what ceil_mode adds. */
  readonly sides: readonly [Pair, Pair];
}

/** A dimension of a window. */
interface Axis {
  /** Elements of the input. */
  readonly size: number;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  /** Elements added before and after the input. */
  readonly pads: Pair;
}

/** A dimension that the window leaves as it is. */
const KEPT: Axis = { size: 1, kernel: 1, stride: 1, dilation: 1, pads: [0, 0] };

/** Reads the attributes of a window as {@linkcode windowOf} does, over any number of dimensions. */
function axesOf(node: Application, size: Shape, kernel: Shape): Axis[] {
  const { attributes } = node;
  const list = (name: string) => {
    const numbers = attributes.integers(name) ?? kernel.map(() => 1);
    if (numbers.length === kernel.length && numbers.every((n) => n > 0)) return numbers;
    throw new InputError(`${name} is ${formatShape(numbers)}; expected ${kernel.length} numbers of at least 1`);
  };
  const given = attributes.integers("kernel_shape");
  if (given !== null && (given.length !== kernel.length || given.some((n, i) => n !== kernel[i]))) {
    throw new InputError(`kernel_shape is ${formatShape(given)}; expected ${formatShape(kernel)}, as the weight has`);
  }
  const [stride, dilation] = [list("strides"), list("dilations")];
  const sides = sidesOf(
    node,
    kernel.map((k, i) => ({ size: size[i]!, stride: stride[i]!, span: dilation[i]! * (k - 1) + 1 })),
  );
  return kernel.map((k, i) => ({
    size: size[i]!,
    kernel: k,
    stride: stride[i]!,
    dilation: dilation[i]!,
    pads: sides[i]!,
  }));
}

function windowOver(rows: Axis, columns: Axis): Window {
  const pads = [rows.pads, columns.pads] as const;
  const isEven = pads.every(([before, after]) => before === after);
  return {
    kernel: [rows.kernel, columns.kernel],
    stride: [rows.stride, columns.stride],
    dilation: [rows.dilation, columns.dilation],
    pads,
    even: isEven ? [pads[0][0], pads[1][0]] : null,
  };
}

/**
 * Reads the attributes of a window.
 *
 * @param size spatial sizes of the input, one or two
 * @param kernel spatial sizes of the window
 * @throws {InputError} if an attribute has not one number per dimension, or two of padding
 */
export function windowOf(node: Application, size: Shape, kernel: Shape): Window {
  const axes = axesOf(node, size, kernel);
  return windowOver(axes.at(-2) ?? KEPT, axes.at(-1)!);
}

/**
 * Reads the attributes of a pooling's window as {@linkcode windowOf} does. Over three dimensions, there are two windows, one
 * after the other: over rows and columns, and over the depth.
 */
export function pooledWindows(node: Application, size: Shape, kernel: Shape): PooledWindow[] {
  const axes = axesOf(node, size, kernel);
  const isCeil = node.attributes.integer("ceil_mode", 0) !== 0;
  const misfit = `a window of ${formatShape(kernel)} does not fit into ${formatShape(size)}`;
  const plane = pooledWindow(axes.at(-2) ?? KEPT, axes.at(-1)!, isCeil, misfit);
  if (axes.length < 3) return [plane];
  return [plane, pooledWindow(axes[0]!, { ...KEPT, size: sizeOf(plane.size) }, isCeil, misfit)];
}

function pooledWindow(rows: Axis, columns: Axis, isCeil: boolean, misfit: string): PooledWindow {
  const window = windowOver(rows, columns);
  const along = [rows, columns].map(({ size, kernel, stride, dilation, pads: [before, after] }) => {
    const span = dilation * (kernel - 1) + 1;
    const room = (size + before + after - span) / stride;
    let count = (isCeil ? Math.ceil(room) : Math.floor(room)) + 1;
    if (count < 1) {
      throw new InputError(`${misfit} with the padding [${before}, ${after}]`);
    }
    // No window lies in what is added after the images, as in PyTorch
    if (isCeil && (count - 1) * stride >= size + before) count--;
    const needed = (count - 1) * stride + span - size - before;
    return { count, sides: [before, Math.max(after, needed)] as const };
  }) as [{ count: number; sides: Pair }, { count: number; sides: Pair }];
  const sides = [along[0].sides, along[1].sides] as const;
  const isAdded = sides.some(([, after], i) => after !== window.pads[i]![1]);
  const isNative = window.even !== null && !isAdded && window.even.every((n, i) => 2 * n <= window.kernel[i]!);
  return { ...window, even: isNative ? window.even : null, size: [along[0].count, along[1].count], sides };
}

/** The window of a transposed convolution. */
export interface TransposedWindow extends Omit<Window, "even"> {
  /** Elements that the result has in addition at the bottom and the right. */
  readonly outputPadding: Pair;
}

/** Reads the attributes of a transposed convolution's window as {@linkcode windowOf} does. */
export function transposedWindow(node: Application, size: Shape, kernel: Shape): TransposedWindow {
  const { attributes } = node;
  const auto = attributes.string("auto_pad", "NOTSET");
  const window = windowOf(node, size, kernel);
  const wanted = attributes.integers("output_shape");
  const extra = attributes.integers("output_padding") ?? kernel.map(() => 0);
  const outputPadding: Pair = extra.length === 2 ? [extra[0]!, extra[1]!] : [0, extra[0]!];
  const images = pairOf(size);
  const shapes = wanted === null ? null : pairOf(wanted.slice(-kernel.length));
  const isSame = auto === "SAME_UPPER" || auto === "SAME_LOWER";
  if (shapes === null && !isSame) return { ...window, outputPadding };
  const left = ([0, 1] as const).map((i) => {
    const span = window.dilation[i] * (window.kernel[i] - 1) + 1;
    const target = shapes?.[i] ?? images[i] * window.stride[i];
    return window.stride[i] * (images[i] - 1) + outputPadding[i] + span - target;
  }) as [number, number];
  const padsOf = (all: number): Pair => {
    const [less, more] = [Math.floor(all / 2), Math.ceil(all / 2)];
    return auto === "SAME_UPPER" ? [less, more] : [more, less];
  };
  return {
    ...window,
    pads: [padsOf(Math.max(0, left[0])), padsOf(Math.max(0, left[1]))],
    // What the windows do not reach is at the end
    outputPadding: [outputPadding[0] + Math.max(0, -left[0]), outputPadding[1] + Math.max(0, -left[1])],
  };
}

/** Returns the numbers of rows and columns; one number is that of the columns. */
function pairOf(numbers: readonly number[]): Pair {
  return numbers.length === 2 ? [numbers[0]!, numbers[1]!] : [1, numbers[0]!];
}

/** Returns the elements added before and after each dimension. */
function sidesOf(
  { attributes }: Application,
  dimensions: readonly { readonly size: number; readonly stride: number; readonly span: number }[],
): readonly Pair[] {
  const auto = attributes.string("auto_pad", "NOTSET");
  const pads = attributes.integers("pads");
  if (auto === "VALID") return dimensions.map(() => [0, 0]);
  if (auto === "SAME_UPPER" || auto === "SAME_LOWER") {
    return dimensions.map(({ size, stride, span }) => {
      const all = Math.max(0, (Math.ceil(size / stride) - 1) * stride + span - size);
      const [less, more] = [Math.floor(all / 2), Math.ceil(all / 2)];
      return auto === "SAME_UPPER" ? [less, more] : [more, less];
    });
  }
  if (auto !== "NOTSET") {
    throw new InputError(`auto_pad is "${auto}"; expected NOTSET, VALID, SAME_UPPER or SAME_LOWER`);
  }
  const numbers = pads ?? dimensions.flatMap(() => [0, 0]);
  if (numbers.length !== 2 * dimensions.length || numbers.some((n) => n < 0)) {
    throw new InputError(`pads is ${formatShape(numbers)}; expected ${2 * dimensions.length} numbers of at least 0`);
  }
  return dimensions.map((_, i) => [numbers[i]!, numbers[i + dimensions.length]!]);
}
