/**
 * Inputs of kernel cases, and checks of the results.
 *
 * @module
 */
import type { FloatType } from "../runtime/core/dtype.ts";
import type { RandomStream } from "../runtime/core/random.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import type { Node } from "../runtime/graph/op.ts";
import type { KernelCase } from "./kernel_case.ts";

const SAMPLES = 50;
/** Period of the values of large inputs. It is a prime, so a wrong offset in a kernel does not go unnoticed. */
const PERIOD = 1_048_573;

/** Largest value of {@linkcode worstError} that rounding explains. */
export const TOLERANCE: Readonly<Record<FloatType, number>> = { f32: 1e-4, f16: 2e-3 };

/** Draws values for a node's inputs, in physical order, which their types represent exactly. */
export function drawInputs(node: Node, random: RandomStream): Float32Array[] {
  return node.inputs.map(({ dtype, shape }) => {
    const values = new Float32Array(sizeOf(shape));
    for (let i = 0; i < Math.min(PERIOD, values.length); i++) values[i] = random.uniform() - 0.5;
    for (let i = PERIOD; i < values.length; i += PERIOD) values.copyWithin(i, 0, Math.min(PERIOD, values.length - i));
    return dtype === "f16" ? Float32Array.from(Float16Array.from(values)) : values;
  });
}

/** Returns the largest error of a sample of elements, relative to 1 + their magnitude. */
export function worstError(
  output: Float32Array,
  reference: KernelCase["reference"],
  inputs: readonly Float32Array[],
  random: RandomStream,
): number {
  let worst = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const i = random.below(output.length);
    const expected = reference(i, inputs);
    worst = Math.max(worst, Math.abs(output[i]! - expected) / (1 + Math.abs(expected)));
  }
  return worst;
}
