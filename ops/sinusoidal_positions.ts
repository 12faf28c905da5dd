import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { bytesOf } from "./buffers.ts";
import { elementwise } from "./kernels/elementwise.ts";
import { ANGLES, turnsTable } from "./kernels/position_angles.ts";
import { floatOf, inputBuffer, outputBuffer } from "./kernels/tensors.ts";
import { checkPositions, rotaryFrequencies } from "./rotary.ts";

export interface SinusoidalAttrs {
  readonly base: number;
}

/**
 * y = x + positions (A. Vaswani et al., "Attention is all you need", 2017): feature 2k of position p gets
 * sin(p base^(-2k / features)), feature 2k + 1 the cosine; dx = dy. Input: x `[..., t, features]`.
 */
export const sinusoidalPositionsOp: OpDef<SinusoidalAttrs> = {
  type: "sinusoidal_positions",
  precision: "follow",
  shape([x]) {
    floatOf(x!, "sinusoidal_positions");
    if (x!.shape.length < 2) {
      throw new InputError(`sinusoidal_positions expects [..., t, features], got ${formatShape(x!.shape)}`);
    }
    checkPositions("sinusoidal_positions", x!.shape.at(-2)!);
    return [x!];
  },
  cost: (inputs, outputs) => ({ flops: sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient: (_node, [dy], needs) => [dy && needs[0] ? dy : null],
  candidates({ inputs, outputs, attrs: { base }, traits }) {
    const { shape } = inputs[0]!;
    const features = shape.at(-1)!;
    return [elementwise({
      name: "sinusoidal_positions",
      traits,
      type: outputs[0]!,
      inputs: { x: inputBuffer(inputs, 0) },
      outputs: { y: { ...outputBuffer(outputs, 0), value: "x + select(sineAt(angle, 0.0), sineAt(angle, 1.0), odd)" } },
      uniforms: { features, positions: shape.at(-2)!, ...turnsTable(rotaryFrequencies(features, base)) },
      prelude: ANGLES,
      statements: `let element = i * 4u + vec4<u32>(0u, 1u, 2u, 3u);
      let feature = element % u.features;
      let odd = (feature & vec4<u32>(1u)) == vec4<u32>(1u);
      let angle = angleOf(element / u.features % u.positions, feature / 2u);`,
    })];
  },
};

/** Adds sinusoids of the position, in dimension -2, to the features, in dimension -1. */
export function sinusoidalPositions(x: Tensor, base = 10_000): Tensor {
  return x.graph.apply(sinusoidalPositionsOp, { base }, [x])[0]!;
}
