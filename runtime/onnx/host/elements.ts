/**
 * Elementwise functions of constants, with NumPy broadcasting.
 *
 * @module
 */
import { broadcastShape } from "../../../ops/sum.ts";
import { type Shape, sizeOf } from "../../core/shape.ts";
import type { ElementKind } from "../format/element_types.ts";
import { Constant } from "../value.ts";
import { limited } from "./limit.ts";

/** Applies a function to the elements of constants, broadcast to one shape. */
export function mapElements(
  type: string,
  constants: readonly Constant[],
  kind: ElementKind,
  compute: (...values: number[]) => number,
): Constant {
  const shape = broadcastShape(type, constants.map((constant) => constant.shape));
  const size = limited(sizeOf(shape));
  const places = constants.map((constant) => placesOf(constant.shape, shape));
  const values = new Float64Array(size);
  for (let i = 0; i < size; i++) values[i] = compute(...constants.map((each, c) => each.values[places[c]!(i)]!));
  return Constant.of(kind, shape, values);
}

/** Returns the function from an element of a shape to that of the smaller shape which is broadcast to it. */
export function placesOf(from: Shape, to: Shape): (i: number) => number {
  const padded = [...new Array<number>(to.length - from.length).fill(1), ...from];
  const strides = padded.map((n, d) => n === 1 ? 0 : sizeOf(padded.slice(d + 1)));
  return (i) => {
    let [left, place] = [i, 0];
    for (let d = to.length - 1; d >= 0; d--) {
      place += (left % to[d]!) * strides[d]!;
      left = Math.floor(left / to[d]!);
    }
    return place;
  };
}
