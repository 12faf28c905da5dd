/**
 * How parameters start, as users write it. `resolveInitializer` turns it into a distribution for a shape.
 *
 * @module
 */
import { z } from "zod";
import { type Shape, sizeOf } from "../core/shape.ts";
import type { Initializer } from "../graph/types.ts";

const finite = z.number({ error: "expected a number" });
const fan = z.enum(["in", "out"], { error: 'expected "in" or "out"' });
const distribution = z.enum(["normal", "uniform"], { error: 'expected "normal" or "uniform"' });

/** Any initialiser, told apart by `kind`. */
export const initializerSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("he"), fan, distribution, slope: finite }),
  z.strictObject({ kind: z.literal("xavier"), distribution, gain: finite }),
  z.strictObject({ kind: z.literal("uniform"), low: finite, high: finite }),
  z.strictObject({ kind: z.literal("normal"), mean: finite, deviation: finite.min(0) }),
  z.strictObject({ kind: z.literal("constant"), value: finite }),
], { error: "expected an initialiser: he(), xavier(), uniform(), normal(), constant(), zeros() or ones()" });

export type InitializerSpec = z.infer<typeof initializerSchema>;

/** What {@linkcode he} takes. */
export interface HeOptions {
  /** Whether to keep the variance of the forward (`in`, the default) or of the backward pass (`out`). */
  fan?: "in" | "out";
  /** Default: `normal`. */
  distribution?: "normal" | "uniform";
  /** Slope of the leaky ReLU that follows; 0 for a ReLU, the default. */
  slope?: number;
}

/**
 * K. He et al., "Delving Deep into Rectifiers", 2015: deviation `sqrt(2 / ((1 + slope^2) fan))`. PyTorch calls it
 * `kaiming_normal_` and `kaiming_uniform_`.
 */
export function he(options: HeOptions = {}): InitializerSpec {
  return { kind: "he", fan: "in", distribution: "normal", slope: 0, ...options };
}

/** X. Glorot and Y. Bengio, 2010: deviation `gain sqrt(2 / (fan_in + fan_out))`. Uniform unless told otherwise. */
export function xavier(options: { distribution?: "normal" | "uniform"; gain?: number } = {}): InitializerSpec {
  return { kind: "xavier", distribution: "uniform", gain: 1, ...options };
}

/** Evenly between `low` and `high`. */
export function uniform(low: number, high: number): InitializerSpec {
  return { kind: "uniform", low, high };
}

/** From the normal distribution. */
export function normal(mean: number, deviation: number): InitializerSpec {
  return { kind: "normal", mean, deviation };
}

export function constant(value: number): InitializerSpec {
  return { kind: "constant", value };
}

export function zeros(): InitializerSpec {
  return constant(0);
}

export function ones(): InitializerSpec {
  return constant(1);
}

/** PyTorch's default for the weights of convolutions and linear layers: uniform within `1 / sqrt(fan_in)`. */
export const TORCH_WEIGHT: InitializerSpec = he({ distribution: "uniform", slope: Math.sqrt(5) });

/** PyTorch's default for their biases, given the shape of the weight: uniform within `1 / sqrt(fan_in)`. */
export function torchBias(weight: Shape): InitializerSpec {
  const bound = 1 / Math.sqrt(fans(weight).in);
  return uniform(-bound, bound);
}

/**
 * The distribution for a tensor of `shape`.
 *
 * @param shape `[out, in / groups, kh, kw]` or `[out, in]` where the initialiser depends on it
 */
export function resolveInitializer(spec: InitializerSpec, shape: Shape): Initializer {
  switch (spec.kind) {
    case "he": {
      const deviation = Math.sqrt(2 / ((1 + spec.slope ** 2) * fans(shape)[spec.fan]));
      return distributed(spec.distribution, deviation);
    }
    case "xavier": {
      const { in: fanIn, out: fanOut } = fans(shape);
      return distributed(spec.distribution, spec.gain * Math.sqrt(2 / (fanIn + fanOut)));
    }
    default:
      return spec;
  }
}

/** A distribution around 0; a uniform one of deviation d lies within d sqrt(3). */
function distributed(distribution: "normal" | "uniform", deviation: number): Initializer {
  if (distribution === "normal") return { kind: "normal", mean: 0, deviation };
  const bound = deviation * Math.sqrt(3);
  return { kind: "uniform", low: -bound, high: bound };
}

/** Inputs that reach an output and outputs that an input reaches, counted as PyTorch does. A vector counts as `[1, n]`. */
function fans(shape: Shape): { in: number; out: number } {
  const [out = 1, fanIn = 1] = shape.length < 2 ? [1, ...shape] : shape;
  const taps = sizeOf(shape.slice(2));
  return { in: fanIn * taps, out: out * taps };
}
