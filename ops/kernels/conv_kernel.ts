/**
 * Shared parts of the kernels of a convolution and its input gradient: the problem of one dispatch, its bindings, the
 * uniforms of its axes, and WGSL that locates target pixels, the source pixels they see, and the destination of sums.
 *
 * @module
 */
import type { KernelOptions } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, gather, store } from "./access.ts";
import type { ConvAxis } from "./conv_axis.ts";
import { forRows, sumRows } from "./store_tile.ts";
import { unroll } from "./unroll.ts";
import { declare } from "./tensors.ts";

export interface ConvTile {
  /** Invocations per workgroup. */
  readonly lanes: number;
  /** Target pixels per invocation. */
  readonly pixels: number;
  /** Vectors of four target channels per invocation. */
  readonly vectors: number;
}

export interface ConvKernelOptions {
  readonly name: string;
  /** `[batch][y][x][groups * sourceChannels]` */
  readonly source: FloatBuffer;
  /** `[tap][sourceChannels][groups][targetChannels]`, `targetChannels` padded to a multiple of four. */
  readonly weight: FloatBuffer;
  /** `[groups * targetChannels]` */
  readonly bias: FloatBuffer | null;
  /** `[batch][y][x][groups][targetChannels]`, `targetChannels` padded to a multiple of four except in planes. */
  readonly target: FloatBuffer;
  /** True if source and target are `[batch][channels][y][x]`. */
  readonly planes: boolean;
  readonly batch: number;
  readonly groups: number;
  /** Source channels per group. */
  readonly sourceChannels: number;
  /** Target channels per group. */
  readonly targetChannels: number;
  readonly y: ConvAxis;
  readonly x: ConvAxis;
  /** Taps per row of the weight. */
  readonly kernelWidth: number;
  readonly traits: DeviceTraits;
}

/** Options of kernels that keep a tile of target pixels x channels in registers. */
export interface ConvTileOptions extends ConvKernelOptions {
  readonly tile: ConvTile;
}

/** Code that distributes the weights of four source channels to all lanes. */
export interface WeightAccess {
  /** Statements at the start. */
  readonly setup: string;
  /** Returns statements before source channel `j` of the four with number `c`; they can use `tap`. */
  load(j: number): string;
  /** Returns the weights of source channel `j` and the target channels of vector `v`, as `vec4<f32>`. */
  value(j: number, v: number): string;
}

/** Declares `source`, `weight`, the optional `bias` and `result` with `width` numbers per element. */
export function convBuffers(
  { source, weight, bias, target }: Pick<ConvKernelOptions, "source" | "weight" | "bias" | "target">,
  width: { readonly source: 1 | 4; readonly weight: 1 | 4; readonly bias?: 1 | 4; readonly target: 1 | 4 },
): KernelOptions["buffers"] {
  const read = ({ ref, dtype }: FloatBuffer, width: 1 | 4) =>
    ({ ref, type: elementType(dtype, width), access: "read" }) as const;
  return {
    source: read(source, width.source),
    weight: read(weight, width.weight),
    ...(bias === null ? {} : { bias: read(bias, width.bias ?? 1) }),
    result: declare(target, width.target),
  };
}

/** Returns uniforms with the number of target pixels and the size of the source. */
export function extentUniforms(y: ConvAxis, x: ConvAxis) {
  return { countY: y.count, countX: x.count, sourceY: y.sourceExtent, sourceX: x.sourceExtent };
}

/** Returns uniforms that map a target pixel to the source pixel that a tap sees. */
export function moveUniforms(y: ConvAxis, x: ConvAxis) {
  return {
    startY: { i32: y.start },
    startX: { i32: x.start },
    strideY: y.stride,
    strideX: x.stride,
    spacingY: { i32: y.spacing },
    spacingX: { i32: x.spacing },
  };
}

/** Returns uniforms that map a tap of the axes to its index in the weight. */
export function tapUniforms(y: ConvAxis, x: ConvAxis, kernelWidth: number) {
  return {
    firstTap: y.firstTap * kernelWidth + x.firstTap,
    tapStepY: y.tapStep * kernelWidth,
    tapStepX: x.tapStep,
  };
}

/** Returns uniforms that map a target pixel's number on its axes to its position in the image. */
export function placeUniforms(y: ConvAxis, x: ConvAxis) {
  return {
    targetY: y.targetExtent,
    targetX: x.targetExtent,
    originY: y.origin,
    originX: x.origin,
    stepY: y.step,
    stepX: x.step,
  };
}

/** Returns WGSL for target pixel `number`, clamped to the last: its position, its image and its first source pixel. */
export function findPixel(p: number, number: string): string {
  return `let pixel${p} = min(${number}, u.pixels - 1u);
let x${p} = pixel${p} % u.countX;
let line${p} = pixel${p} / u.countX;
let y${p} = line${p} % u.countY;
let image${p} = line${p} / u.countY;
let sourceX${p} = i32(x${p} * u.strideX) + u.startX;
let sourceY${p} = i32(y${p} * u.strideY) + u.startY;`;
}

/**
 * Returns WGSL for the source pixel that pixel `p` sees through the tap `dy`, `dx` from its first, and if it exists.
 */
export function findSource(p: number): string {
  return `    let iy${p} = u32(sourceY${p} + dy);
    let ix${p} = u32(sourceX${p} + dx);
    let inside${p} = iy${p} < u.sourceY && ix${p} < u.sourceX;`;
}

/** Returns the index of a target pixel in memory, from the variables `image`, `y` and `x` with `suffix` appended. */
export function targetPixel(suffix: number | ""): string {
  return `(image${suffix} * u.targetY + y${suffix} * u.stepY + u.originY) * u.targetX + ` +
    `x${suffix} * u.stepX + u.originX`;
}

/** Returns WGSL for the initial sums of each vector of target channels; past the end, the last channel repeats. */
export function biasVectors(vectors: number, bias: FloatBuffer | null): string {
  return unroll(vectors, (v) => {
    const at = (j: number) => `targetChannel + min((vector + ${v}u) * 4u + ${j}u, u.targetChannels - 1u)`;
    const value = bias === null ? "vec4<f32>()" : gather("bias", [at(0), at(1), at(2), at(3)], bias.dtype);
    return `let bias${v} = ${value};`;
  });
}

/** Returns WGSL that writes the sums of a tile in NHWC; pixel `p` of the tile has the number `first + stride * p`. */
export function storePixels({ tile, target, traits }: ConvTileOptions, stride: number): string {
  const { pixels, vectors } = tile;
  const rows = sumRows(pixels, vectors).map((sums, p) => [`place${p}`, ...sums]);
  return `${unroll(pixels, (p) => `var place${p} = (${targetPixel(p)}) * u.row;`)}
${
    forRows(traits, rows, (p, [place, ...sums]) =>
      `if (first + ${p} * ${stride}u < u.pixels) {
  let to = ${place} + group * u.vectors + vector;
${
        unroll(
          vectors,
          (v) => `  if (vector + ${v}u < u.vectors) { ${store("result", `to + ${v}u`, sums[v]!, target, 4)} }`,
        )
      }
}`)
  }`;
}
