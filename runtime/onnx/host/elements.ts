/**
 * Elementwise functions of constants, with NumPy broadcasting.
 *
 * @module
 */
import { broadcastShape } from "../../../ops/sum.ts";
import type { ElementKind } from "../format/element_types.ts";
import { Constant } from "../value.ts";
import { limitedSize } from "./limit.ts";
import { valuesFor } from "./moving.ts";
import { broadcastStrides, walk } from "./walk.ts";

/** Applies a function to the elements of constants, broadcast to one shape. */
export function mapElements(
  type: string,
  constants: readonly Constant[],
  kind: ElementKind,
  compute: (...values: number[]) => number,
): Constant {
  const shape = broadcastShape(type, constants.map((constant) => constant.shape));
  const size = limitedSize(shape);
  const read = () => {
    const values = valuesFor(kind, size);
    const sources = constants.map((constant) => constant.values);
    const operands = new Array<number>(sources.length);
    walk(shape, constants.map((constant) => broadcastStrides(constant.shape, shape)), (i, _, places) => {
      for (let k = 0; k < operands.length; k++) operands[k] = sources[k]![places[k]!]!;
      values[i] = compute(...operands);
    });
    return values;
  };
  // Quantised weights; other constants are not, so that a long chain of them needs no deep stack
  const isWeight = constants.some(({ initializer, size }) => initializer !== null && size >= LARGE);
  return isWeight ? Constant.later(kind, shape, read) : Constant.of(kind, shape, read());
}

/** Elements of an initializer from which on it counts as a weight, which is read when the model is initialised. */
const LARGE = 1 << 12;
