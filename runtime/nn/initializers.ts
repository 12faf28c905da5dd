/**
 * Initialisers of parameters as users write them. `resolveInitializer` turns one into a distribution for a shape.
 *
 * @module
 */
import { z } from "zod";
import { type Shape, sizeOf } from "../core/shape.ts";
import type { Initializer } from "../graph/types.ts";
import type { InitializerSpec } from "./initializer_types.ts";

export type { InitializerSpec } from "./initializer_types.ts";

const finite = z.number({ error: "expected a number" });
const fan = z.enum(["in", "out"], { error: 'expected "in" or "out"' });
const distribution = z.enum(["normal", "uniform"], { error: 'expected "normal" or "uniform"' });

/** Schema of an initialiser, by `kind`. */
export const initializerSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("he"), fan, distribution, slope: finite }),
  z.strictObject({ kind: z.literal("xavier"), distribution, gain: finite }),
  z.strictObject({ kind: z.literal("uniform"), low: finite, high: finite }),
  z.strictObject({ kind: z.literal("normal"), mean: finite, deviation: finite.min(0) }),
  z.strictObject({ kind: z.literal("constant"), value: finite }),
], { error: "expected an initialiser: he(), xavier(), uniform(), normal(), constant(), zeros() or ones()" });

/** Options of {@linkcode he}. */
export interface HeOptions {
  /** Preserves the variance in the forward (`in`) or the backward pass (`out`). Default: `in`. */
  fan?: "in" | "out";
  /** Default: `normal`. */
  distribution?: "normal" | "uniform";
  /** Slope of the leaky ReLU that follows. Default: 0, a ReLU. */
  slope?: number;
}

/**
 * Initialises from a distribution with standard deviation `sqrt(2 / ((1 + slope^2) fan))` (K. He et al., "Delving Deep into
 * Rectifiers", 2015); `kaiming_normal_` and `kaiming_uniform_` in PyTorch.
 */
export function he(options: HeOptions = {}): InitializerSpec {
  return { kind: "he", fan: "in", distribution: "normal", slope: 0, ...options };
}

/**
 * Initialises from a distribution with standard deviation `gain sqrt(2 / (fan_in + fan_out))`, uniform by default (X. Glorot
 * and Y. Bengio, 2010).
 */
export function xavier(options: { distribution?: "normal" | "uniform"; gain?: number } = {}): InitializerSpec {
  return { kind: "xavier", distribution: "uniform", gain: 1, ...options };
}

/** Initialises uniformly between `low` and `high`. */
export function uniform(low: number, high: number): InitializerSpec {
  return { kind: "uniform", low, high };
}

/** Initialises from the normal distribution with standard deviation `deviation`. */
export function normal(mean: number, deviation: number): InitializerSpec {
  return { kind: "normal", mean, deviation };
}

/** Initialises all elements to `value`. */
export function constant(value: number): InitializerSpec {
  return { kind: "constant", value };
}

/** Initialises all elements to 0. */
export function zeros(): InitializerSpec {
  return constant(0);
}

/** Initialises all elements to 1. */
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
 * Resolves an initialiser to a distribution for a tensor of `shape`.
 *
 * @param shape `[out, in / groups, kh, kw]` or `[out, in]` if the initialiser depends on it
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

/** Returns a distribution around 0. A uniform one with deviation d spans ±d sqrt(3). */
function distributed(distribution: "normal" | "uniform", deviation: number): Initializer {
  if (distribution === "normal") return { kind: "normal", mean: 0, deviation };
  const bound = deviation * Math.sqrt(3);
  return { kind: "uniform", low: -bound, high: bound };
}

/** Returns the fan-in and fan-out as PyTorch counts them. A vector counts as `[1, n]`. */
function fans(shape: Shape): { in: number; out: number } {
  const [out = 1, fanIn = 1] = shape.length < 2 ? [1, ...shape] : shape;
  const taps = sizeOf(shape.slice(2));
  return { in: fanIn * taps, out: out * taps };
}
