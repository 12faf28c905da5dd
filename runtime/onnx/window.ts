/**
 * Attributes of windows that move over images, which convolutions and poolings share.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { formatShape, type Shape } from "../core/shape.ts";
import type { Application } from "./application.ts";

type Pair = readonly [number, number];

/** A window over `[height, width]`; a dimension that the operator does not have has size 1. */
export interface Window {
  readonly kernel: Pair;
  readonly stride: Pair;
  readonly dilation: Pair;
  /** Elements added on both sides. */
  readonly padding: Pair;
  /** Elements to add before and after each spatial dimension that the operator has, if both sides differ; then `padding` is 0. */
  readonly uneven: readonly Pair[] | null;
}

/**
 * Reads the attributes of a window.
 *
 * @param size spatial sizes of the input
 * @param kernel spatial sizes of the window
 * @throws {InputError} if an attribute has not one number per dimension, or two of padding
 */
export function windowOf(node: Application, size: Shape, kernel: Shape): Window {
  const { attributes } = node;
  const list = (name: string, otherwise: number) => {
    const numbers = attributes.integers(name) ?? kernel.map(() => otherwise);
    if (numbers.length === kernel.length && numbers.every((n) => n > 0)) return numbers;
    throw new InputError(`${name} is ${formatShape(numbers)}; expected ${kernel.length} numbers of at least 1`);
  };
  const given = attributes.integers("kernel_shape");
  if (given !== null && (given.length !== kernel.length || given.some((n, i) => n !== kernel[i]))) {
    throw new InputError(`kernel_shape is ${formatShape(given)}; expected ${formatShape(kernel)}, as the weight has`);
  }
  const [stride, dilation] = [list("strides", 1), list("dilations", 1)];
  const sides = sidesOf(
    node,
    kernel.map((k, i) => ({ size: size[i]!, stride: stride[i]!, span: dilation[i]! * (k - 1) + 1 })),
  );
  const isEven = sides.every(([before, after]) => before === after);
  const pair = (numbers: readonly number[], otherwise: number): Pair =>
    numbers.length === 2 ? [numbers[0]!, numbers[1]!] : [otherwise, numbers[0]!];
  return {
    kernel: pair(kernel, 1),
    stride: pair(stride, 1),
    dilation: pair(dilation, 1),
    padding: pair(sides.map(([before]) => isEven ? before : 0), 0),
    uneven: isEven ? null : sides,
  };
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
