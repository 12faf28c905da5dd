import { InputError } from "../runtime/core/errors.ts";
import { type Shape, sizeOf } from "../runtime/core/shape.ts";
import type { KernelContext, OpDef, OpFacts, Tensor } from "../runtime/graph/op.ts";
import { activation, inPlanes, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { elementwise } from "./kernels/elementwise.ts";
import { PCG4D } from "./kernels/random.ts";
import { outputBuffer } from "./kernels/tensors.ts";

export interface RandomAttrs {
  /** Type of the tensor to draw. */
  readonly type: TensorType;
  /** A draw d of the standard distribution becomes `offset + scale * d`. */
  readonly offset: number;
  readonly scale: number;
}

/** Code of a standard distribution: four elements from their numbers. */
interface Distribution {
  readonly type: string;
  /** Names in other tools. */
  readonly aliases: OpFacts["aliases"];
  /** WGSL that sets `draws: vec4<f32>` for elements `4 i` to `4 i + 3`. */
  readonly vector: string;
  /** WGSL that sets `draws[j]` for the element numbered `place`. */
  readonly single: string;
  /** WGSL of functions. */
  readonly prelude: string;
  /** Floating-point operations per element, the scale and the offset included. */
  readonly flops: number;
}

const UNIFORM: Distribution = {
  type: "random_uniform",
  aliases: { singa: "Uniform", nnc: "Rand", paddle: "uniform_random", mindinsight: "UniformReal" },
  vector: "draws = unit(random(i));",
  single: "draws[j] = unit(random(place / 4u))[place % 4u];",
  prelude: `
// Multiples of 2^-24 in [0, 1)
fn unit(bits: vec4<u32>) -> vec4<f32> { return vec4<f32>(bits >> vec4<u32>(8u)) / 16777216.0; }`,
  flops: 3,
};

const NORMAL: Distribution = {
  type: "random_normal",
  aliases: { singa: "Gaussian", nnc: "Randn", paddle: "gaussian_random", mindinsight: "StandardNormal" },
  vector: `let a = random(2u * i);
    let b = random(2u * i + 1u);
    draws = normal(vec4<u32>(a.xz, b.xz), vec4<u32>(a.yw, b.yw));`,
  single: `let block = random(place / 2u);
      let lane = 2u * (place % 2u);
      draws[j] = normal(vec4<u32>(block[lane]), vec4<u32>(block[lane + 1u])).x;`,
  prelude: `
// Box and Muller, 1958: one number from two draws
fn normal(radius: vec4<u32>, angle: vec4<u32>) -> vec4<f32> {
  let r = sqrt(-2.0 * log((vec4<f32>(radius) + 1.0) / 4294967296.0));
  return r * cos(6.283185307179586 * (vec4<f32>(angle >> vec4<u32>(8u)) / 16777216.0));
}`,
  flops: 9,
};

/**
 * Draws from the uniform distribution on [offset, offset + scale). Element e is `offset + scale * u` for draw e of the
 * sequence `RandomStream(seed, step, key).uniform()`. Elements of images are numbered in NHWC order regardless of their
 * layout. Input: step state.
 */
export const randomUniformOp: OpDef<RandomAttrs> = randomOp(UNIFORM);

/** Draws from the normal distribution, likewise from `RandomStream(seed, step, key).normal()`. Input: step state. */
export const randomNormalOp: OpDef<RandomAttrs> = randomOp(NORMAL);

/** Returns uniform draws from [low, high) in the graph of `x`, new ones in each step. */
export function randomUniform(x: Tensor, shape: Shape, { low, high }: { low: number; high: number }): Tensor {
  if (!(low < high)) throw new InputError(`randomUniform: low is ${low} and high ${high}; expected low < high`);
  return draw(randomUniformOp, x, shape, low, high - low);
}

/** Returns normal draws in the graph of `x`, new ones in each step. */
export function randomNormal(x: Tensor, shape: Shape, { mean, std }: { mean: number; std: number }): Tensor {
  return draw(randomNormalOp, x, shape, mean, std);
}

function draw(op: OpDef<RandomAttrs>, { graph }: Tensor, shape: Shape, offset: number, scale: number): Tensor {
  const type = activation(shape, "f32", graph.imageLayout);
  return graph.apply(op, { type, offset, scale }, [graph.stepState()])[0]!;
}

function randomOp(distribution: Distribution): OpDef<RandomAttrs> {
  return {
    type: distribution.type,
    precision: "fixed",
    roles: ["random"],
    aliases: distribution.aliases,
    shape: (_inputs, { type }) => [type],
    cost: (_inputs, [type]) => ({ flops: distribution.flops * sizeOf(type!.shape), bytes: bytesOf(type) }),
    candidates: (context) => [randomKernel(distribution, context)],
  };
}

function randomKernel(
  { type, vector, single, prelude }: Distribution,
  { attrs: { type: output, offset, scale }, outputs, traits, randomKey }: KernelContext<RandomAttrs>,
) {
  const [, channels, height, width] = output.shape;
  const planes = inPlanes(output) ? { channels: channels!, pixels: height! * width! } : null;
  // Four neighbouring pixels of a channel have numbers far apart
  const ofPlanes = `for (var j = 0u; j < 4u; j++) {
      let plane = (i * 4u + j) / u.pixels;
      let pixel = plane / u.channels * u.pixels + (i * 4u + j) % u.pixels;
      let place = pixel * u.channels + plane % u.channels;
      ${single}
    }`;
  return elementwise({
    name: planes === null ? type : `${type}.planes`,
    traits,
    type: output,
    inputs: {},
    outputs: { result: { ...outputBuffer(outputs, 0), value: "u.offset + u.scale * draws" } },
    buffers: { state: { ref: { input: 0 }, type: "u32" } },
    uniforms: { key: randomKey, offset: { f32: offset }, scale: { f32: scale }, ...planes },
    prelude: `${PCG4D}
fn random(block: u32) -> vec4<u32> { return pcg4d(vec4<u32>(state[0], state[1], u.key, block)); }${prelude}`,
    statements: `var draws: vec4<f32>;
    ${planes === null ? vector : ofPlanes}`,
  });
}
