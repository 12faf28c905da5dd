import { InputError } from "../runtime/core/errors.ts";
import { shown } from "../runtime/core/shown.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { checkFlag, checkOptions, checkTensors } from "./check_arguments.ts";
import { load } from "./kernels/access.ts";
import { elementwise } from "./kernels/elementwise.ts";
import { ANGLES, MAX_POSITIONS, turnsTable } from "./kernels/position_angles.ts";
import { declare, floatOf, inputBuffer, outputBuffer } from "./kernels/tensors.ts";
import { axisOf } from "./reduction.ts";
import { toLayout } from "./to_layout.ts";

/** Stretches rotary positions for longer contexts, in proportion: every frequency is divided by `factor`. */
export interface LinearScaling {
  readonly type: "linear";
  /** Ratio of the new context to the original one. */
  readonly factor: number;
}

/**
 * Stretches rotary positions as Llama 3.1 does: only frequencies whose wavelength is long compared with the original
 * context are divided by `factor`. Names are those of `rope_scaling` in a model's `config.json` on Hugging Face's hub.
 */
export interface Llama3Scaling {
  readonly type: "llama3";
  /** Divisor of low frequencies. */
  readonly factor: number;
  /** Frequencies with fewer periods in the original context than this are divided. */
  readonly lowFreqFactor: number;
  /** Frequencies with more periods in the original context than this stay; those between are interpolated. */
  readonly highFreqFactor: number;
  /** Positions of the context that the model was trained with at first. */
  readonly originalMaxPositionEmbeddings: number;
}

/** Change of the frequencies of rotary positions. */
export type RotaryScaling = LinearScaling | Llama3Scaling;

/** Returns the angle per position of each pair of features: base^(-2k / features), scaled. */
export function rotaryFrequencies(features: number, base: number, scaling: RotaryScaling | null = null): number[] {
  return Array.from({ length: Math.ceil(features / 2) }, (_, k) => scaled(base ** (-2 * k / features), scaling));
}

function scaled(frequency: number, scaling: RotaryScaling | null): number {
  if (scaling === null) return frequency;
  const slow = frequency / scaling.factor;
  if (scaling.type === "linear") return slow;
  const periods = scaling.originalMaxPositionEmbeddings * frequency / (2 * Math.PI);
  const { lowFreqFactor, highFreqFactor } = scaling;
  if (periods < lowFreqFactor) return slow;
  if (periods > highFreqFactor) return frequency;
  const share = (periods - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
  return (1 - share) * slow + share * frequency;
}

/** Largest table of frequencies in a uniform buffer of 64 KiB. */
const MAX_FEATURES = 8192;

export interface RotaryAttrs {
  /** Dimension of the positions. */
  readonly axis: number;
  /** The first frequency is 1, the last close to 1 / base. */
  readonly base: number;
  readonly scaling: RotaryScaling | null;
  /** True if a pair is two neighbours, false if it is a feature and the one half of the features later. */
  readonly interleaved: boolean;
  /** True for the gradient, which rotates back. */
  readonly inverse: boolean;
  /** Entries of the dimension before the features that are rotated, from the first; the others stay as they are. */
  readonly heads?: number;
}

/**
 * Rotary positions (J. Su et al., "RoFormer", 2021): rotates pair k of the d features of position p by the angle
 * p base^(-2k / d), or by that of the scaled frequency. The gradient rotates dy back. Input: x `[..., features]`.
 */
export const rotaryOp: OpDef<RotaryAttrs> = {
  type: "rotary",
  precision: "follow",
  aliases: { paddle: "fused_rotary_position_embedding", mindinsight: "RotaryPositionEmbedding" },
  shape([x], { axis }) {
    floatOf(x!, "rotary");
    const features = x!.shape.at(-1)!;
    if (axis === x!.shape.length - 1 || features % 2 !== 0 || features > MAX_FEATURES) {
      throw new InputError(
        `rotary expects an even number of features, at most ${MAX_FEATURES}, after the positions, got ` +
          `${formatShape(x!.shape)} with positions in dimension ${axis}`,
      );
    }
    checkPositions("rotary", x!.shape[axis]!);
    return [x!];
  },
  cost: (inputs, outputs) => ({ flops: 3 * sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null];
    return dy.graph.apply(rotaryOp, { ...node.attrs, inverse: !node.attrs.inverse }, [dy]);
  },
  candidates({ inputs, outputs, attrs, traits }) {
    const x = inputBuffer(inputs, 0);
    const { shape } = inputs[0]!;
    const features = shape.at(-1)!;
    const at = (element: string) => ["x", "y", "z", "w"].map((lane) => load("x", `${element}.${lane}`, x.dtype, 1));
    const pairs = attrs.interleaved
      ? `let k = feature / 2u;
      let first = (feature & vec4<u32>(1u)) == vec4<u32>(0u);
      let other = select(element - 1u, element + 1u, first);`
      : `let half = u.features / 2u;
      let k = feature % half;
      let first = feature < vec4<u32>(half);
      let other = select(element - half, element + half, first);`;
    return [elementwise({
      name: `rotary${attrs.interleaved ? ".interleaved" : ""}${attrs.inverse ? ".inverse" : ""}`,
      traits,
      type: outputs[0]!,
      inputs: {},
      outputs: {
        y: {
          ...outputBuffer(outputs, 0),
          value: `vec4<f32>(${at("element").join(", ")}) * sineAt(angle, 1.0) + select(away, -away, first)`,
        },
      },
      buffers: { x: declare(x, 1) },
      uniforms: {
        n: sizeOf(shape),
        features,
        inner: sizeOf(shape.slice(attrs.axis + 1)),
        positions: shape[attrs.axis]!,
        ...attrs.heads !== undefined && { heads: shape.at(-2)!, rotated: attrs.heads },
        ...turnsTable(rotaryFrequencies(features, attrs.base, attrs.scaling)),
      },
      prelude: ANGLES,
      // The last vector may extend past the end; its surplus lanes compute the last element
      statements: `let element = min(i * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.n - 1u));
      let feature = element % u.features;
      ${pairs}
      let position = ${
        attrs.heads === undefined
          ? "element / u.inner % u.positions"
          : "select(vec4<u32>(), element / u.inner % u.positions, element / u.features % u.heads < vec4<u32>(u.rotated))"
      };
      let angle = ${attrs.inverse ? "-" : ""}angleOf(position, k);
      let away = vec4<f32>(${at("other").join(", ")}) * sineAt(angle, 0.0);`,
    })];
  },
};

/** Options of {@linkcode rotary}. */
export interface RotaryOptions {
  /** Ratio of the first frequency to one past the last. Default: 10000. */
  readonly base?: number;
  /** Stretches the positions for a longer context. Default: null. */
  readonly scaling?: RotaryScaling | null;
  /** True if pairs are neighbours (Su et al.), false if they are half the features apart (Hugging Face). Default: false. */
  readonly interleaved?: boolean;
}

/**
 * Rotates pairs of features of `x` by angles that grow with the position, as rotary positions do for queries and keys.
 *
 * @param axis dimension of the positions; the features are the last dimension
 * @throws {InputError} if the number of features is odd
 */
export function rotary(x: Tensor, axis = -2, options: RotaryOptions = {}): Tensor {
  checkTensors("rotary", [x]);
  checkOptions("rotary", options, ["base", "scaling", "interleaved"]);
  const { base = 10_000, interleaved = false } = options;
  checkFlag("rotary", "interleaved", interleaved);
  if (!(Number.isFinite(base) && base > 0)) {
    throw new InputError(`rotary expects a base of more than 0, got ${shown(base)}`);
  }
  const rows = isImages(x.type) ? toLayout(x, "row") : x;
  return x.graph.apply(rotaryOp, attrsOf(axisOf("rotary", x.shape, axis), options), [rows])[0]!;
}

/**
 * Rotates the first `heads` entries of the dimension before the features of a row-major `x`, and returns the others as
 * they are; otherwise like {@linkcode rotary}.
 */
export function rotaryOfHeads(x: Tensor, axis: number, heads: number, options: RotaryOptions = {}): Tensor {
  return x.graph.apply(rotaryOp, { ...attrsOf(axis, options), heads }, [x])[0]!;
}

function attrsOf(
  axis: number,
  { base = 10_000, scaling = null, interleaved = false }: RotaryOptions,
): RotaryAttrs {
  return { axis, base, scaling, interleaved, inverse: false };
}

/** @throws {InputError} if there are more positions than angles are precise for */
export function checkPositions(op: string, positions: number): void {
  if (positions > MAX_POSITIONS) {
    throw new InputError(`${op} expects at most ${MAX_POSITIONS} positions, got ${positions}`);
  }
}
