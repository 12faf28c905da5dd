/**
 * 3 x 3 convolution of stride 1, or its input gradient, with Winograd's algorithms. They take 2.25 or 4 times fewer
 * multiplications than the direct convolution, in exchange for transforms (`winograd_transforms.ts`) that read and
 * write each pixel a few times. The products are 16 or 36 matrix products, computed by the kernel family that suits the
 * adapter.
 *
 * @module
 */
import type { BufferRef, KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { convAxes, type ConvProblem } from "./conv_plan.ts";
import type { ConvAxis } from "./conv_axis.ts";
import { matmulPlans } from "./matmul_plan.ts";
import {
  F2,
  F4,
  tileCount,
  transformProducts,
  transformSources,
  type Winograd,
  type WinogradTiles,
} from "./winograd_transforms.ts";

/** Maximum bytes of a scratch buffer; larger batches are processed in parts. */
const MAX_SCRATCH = 1 << 26;

/** Products `c[number] = a[number] b[number]`, all f32. */
interface WinogradProducts {
  /** `[number][tile of the image][source channel]` */
  readonly a: BufferRef;
  /** `[number][target channel][source channel]` */
  readonly b: BufferRef;
  /** `[number][tile of the image][target channel]` */
  readonly c: BufferRef;
  readonly numbers: number;
  readonly tiles: number;
  readonly sourceChannels: number;
  readonly targetChannels: number;
  readonly traits: DeviceTraits;
}

export function winogradFits(problem: ConvProblem): boolean {
  const { geometry, traits } = problem;
  const { kernelSize, stride, dilation, groups, inputChannels, outputChannels } = geometry;
  const one = (pair: readonly [number, number], value: number) => pair[0] === value && pair[1] === value;
  return one(kernelSize, 3) && one(stride, 1) && one(dilation, 1) && groups === 1 &&
    inputChannels % 4 === 0 && outputChannels % 4 === 0 &&
    [F2, F4].every((algorithm) => scratchOfImage(problem, algorithm) <= limit(traits));
}

export function winogradPlan(problem: ConvProblem, algorithm: Winograd): KernelPlan {
  const { geometry, traits, direction } = problem;
  const flipped = direction === "input_grad";
  const { inputChannels, outputChannels } = geometry;
  const [sourceChannels, targetChannels] = flipped ? [outputChannels, inputChannels] : [inputChannels, outputChannels];
  const [sourceSize, targetSize] = flipped
    ? [geometry.outputSize, geometry.inputSize]
    : [geometry.inputSize, geometry.outputSize];
  const axes = convAxes(problem);
  const start = [firstSource(axes.y[0]!), firstSource(axes.x[0]!)] as const;
  const images = Math.min(geometry.batch, Math.floor(limit(traits) / scratchOfImage(problem, algorithm)));
  const [tilesY, tilesX] = tilesOf(problem, algorithm);
  const numbers = algorithm.size ** 2;
  const [filters, transformed, products] = [{ workspace: 0 }, { workspace: 1 }, { workspace: 2 }];
  const parts = Array.from({ length: Math.ceil(geometry.batch / images) }, (_, part): WinogradTiles => {
    const firstImage = part * images;
    return { algorithm, firstImage, images: Math.min(images, geometry.batch - firstImage), tilesY, tilesX };
  });
  const optionsOf = (tiles: WinogradTiles): WinogradProducts => ({
    ...{ a: transformed, b: filters, c: products },
    ...{ numbers, tiles: tileCount(tiles), sourceChannels, targetChannels, traits },
  });
  const productsOf = parts.map((tiles) => productsPlan(optionsOf(tiles)));
  const kernels = parts.flatMap((tiles, part): KernelSpec[] => [
    transformSources({
      source: problem.source,
      target: transformed,
      tiles,
      channels: sourceChannels,
      size: sourceSize,
      start,
      filters: {
        weight: problem.weight,
        target: filters,
        inputChannels,
        outputChannels,
        flipped,
      },
      traits,
    }),
    ...productsOf[part]!.kernels,
    transformProducts({
      name: problem.name,
      products,
      bias: problem.bias,
      target: problem.target,
      tiles,
      channels: targetChannels,
      size: targetSize,
      traits,
    }),
  ]);
  const bytes = (rows: number, columns: number) => 4 * numbers * rows * columns;
  const tiles = images * tilesY * tilesX;
  return {
    name: `${problem.name}.winograd${algorithm.pixels}.${productsOf[0]!.name}`,
    kernels,
    workspace: [
      bytes(sourceChannels, targetChannels),
      bytes(tiles, sourceChannels),
      bytes(tiles, targetChannels),
    ],
  };
}

/** Returns the products by the kernel family that suits the adapter. */
function productsPlan({ a, b, c, numbers, tiles, sourceChannels, targetChannels, traits }: WinogradProducts) {
  return matmulPlans({
    name: "matmul",
    a: { ref: a, dtype: "f32", order: "rows", batched: true },
    b: { ref: b, dtype: "f32", order: "columns", batched: true },
    bias: null,
    c: { ref: c, dtype: "f32" },
    batch: numbers,
    m: tiles,
    n: targetChannels,
    k: sourceChannels,
    sumBatch: false,
  }, traits)[0]!;
}

/** Returns the first source pixel that a tile at 0 sees. */
function firstSource({ start, spacing }: ConvAxis): number {
  return start + Math.min(0, 2 * spacing);
}

function limit(traits: DeviceTraits): number {
  return Math.min(traits.maxStorageBindingBytes, MAX_SCRATCH);
}

/** Returns the bytes of the larger scratch buffer for one image. */
function scratchOfImage(problem: ConvProblem, algorithm: Winograd): number {
  const [tilesY, tilesX] = tilesOf(problem, algorithm);
  const { inputChannels, outputChannels } = problem.geometry;
  return 4 * algorithm.size ** 2 * tilesY * tilesX * Math.max(inputChannels, outputChannels);
}

/** Returns the numbers of tiles that cover the target image, in height and width. */
function tilesOf({ geometry, direction }: ConvProblem, { pixels }: Winograd): [number, number] {
  const [h, w] = direction === "forward" ? geometry.outputSize : geometry.inputSize;
  return [Math.ceil(h / pixels), Math.ceil(w / pixels)];
}
