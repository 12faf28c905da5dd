/**
 * Plans of convolutions that read whole images and tiles of weights as uniforms, for software adapters. The weights are
 * packed first, so that a window holds whole tiles of target channels.
 *
 * @module
 */
import { DTYPE_BYTES } from "../../runtime/core/dtype.ts";
import { roundUp } from "../../runtime/core/round_up.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { type KernelPlan, type KernelSpec, WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import type { ConvTile, ConvTileOptions } from "./conv_kernel.ts";
import { type AxisPair, clearTarget, convAxes, convDispatches, type ConvProblem } from "./conv_plan.ts";
import { convRuns, runsFit, runsTile, writesUnpadded } from "./conv_runs.ts";
import { convSimd, simdConvTiles } from "./conv_simd.ts";
import type { ConvWindows } from "./conv_window_access.ts";
import { packTiles } from "./pack_weights.ts";
import { SIMD_LANES } from "./simd.ts";
import { bytesOfNumbers, SLICE_ALIGNMENT, sliced, type Slicing } from "./windows.ts";

/** Builder of a family's kernel. */
type WindowedKernel = (options: ConvTileOptions, windows: ConvWindows) => KernelSpec;

/** Division of a convolution into dispatches. */
interface Division {
  readonly tile: ConvTile;
  readonly pairs: readonly AxisPair[];
  /** No tap sees the pixels of other pairs. */
  readonly clears: boolean;
  readonly images: Slicing;
  /** Bytes of a source image and of a target image. */
  readonly source: number;
  readonly target: number;
  /** Bytes of the weights of a tile of target channels, and the tiles that a window holds. */
  readonly tileBytes: number;
  readonly tilesPerWindow: number;
}

/** Returns the plan by runs of pixels, or null if images or weights are too large for windows, or shapes are unsuitable. */
export function windowedRunsPlan(problem: ConvProblem): (() => KernelPlan) | null {
  const [, to] = channelsOf(problem);
  const { y, x } = convAxes(problem);
  const fits = y.length === 1 && x.length === 1 && runsFit(x[0]!) &&
    (to % 4 === 0 || writesUnpadded(to, problem.geometry.groups, x[0]!));
  const division = fits ? divisionOf(problem, runsTile(to, SIMD_LANES, 16)) : null;
  return division &&
    (() => planOf(problem, division, (options, windows) => convRuns(options, "packed", to % 4 !== 0, windows)));
}

/** Returns the plan by single pixels, likewise. */
export function windowedSimdPlan(problem: ConvProblem): (() => KernelPlan) | null {
  const [from, to] = channelsOf(problem);
  const division = from % 4 === 0 && to % 4 === 0 ? divisionOf(problem, simdConvTiles(to)[0]!) : null;
  return division && (() => planOf(problem, division, (options, windows) => convSimd(options, "packed", windows)));
}

function channelsOf({ geometry, direction }: ConvProblem): [source: number, target: number] {
  const { inputChannels, outputChannels } = geometry;
  return direction === "forward" ? [inputChannels, outputChannels] : [outputChannels, inputChannels];
}

function divisionOf(problem: ConvProblem, tile: ConvTile): Division | null {
  const { geometry, source, target, planes } = problem;
  const { y, x } = convAxes(problem);
  const [from, to] = channelsOf(problem);
  if (planes || geometry.groups !== 1) return null;
  const sourceBytes = bytesOfNumbers(from * y[0]!.sourceExtent * x[0]!.sourceExtent, source.dtype);
  const targetBytes = bytesOfNumbers(to * y[0]!.targetExtent * x[0]!.targetExtent, target.dtype);
  const images = sliced(geometry.batch, [sourceBytes], [targetBytes]);
  const tileBytes = sizeOf(geometry.kernelSize) * from * tile.vectors * 16;
  const tilesPerWindow = Math.floor(WINDOW_BYTES / tileBytes);
  if (images === null || tilesPerWindow === 0) return null;
  const aligned = tilesPerWindow * tileBytes % SLICE_ALIGNMENT === 0;
  if (!aligned && to > tilesPerWindow * 4 * tile.vectors) return null;
  const { pairs, clears } = convDispatches(problem);
  if (pairs.some(({ y, x }) => y.taps === 0 || x.taps === 0)) return null;
  return { tile, pairs, clears, images, source: sourceBytes, target: targetBytes, tileBytes, tilesPerWindow };
}

function planOf(problem: ConvProblem, division: Division, kernel: WindowedKernel): KernelPlan {
  const { geometry, weight, direction, traits } = problem;
  const { tile, pairs, clears, images: { items, dispatches }, source, target, tileBytes, tilesPerWindow } = division;
  const [sourceChannels, targetChannels] = channelsOf(problem);
  const tiles = Math.ceil(targetChannels / (4 * tile.vectors));
  const packed = { workspace: 0 };
  const cleared = clears
    ? [clearTarget(problem.target, geometry.batch * target / DTYPE_BYTES[problem.target.dtype], traits)]
    : [];
  const firstTiles = Array.from({ length: Math.ceil(tiles / tilesPerWindow) }, (_, i) => i * tilesPerWindow);
  const options = {
    ...problem,
    batch: items,
    groups: 1,
    sourceChannels,
    targetChannels,
    kernelWidth: geometry.kernelSize[1],
    weight: { ref: packed, dtype: "f32" },
    tile,
  } as const;
  const kernels = firstTiles.flatMap((firstTile) => {
    const windows: ConvWindows = {
      source: items * source,
      target: roundUp(items * target, 16),
      tiles: Math.min(tilesPerWindow, tiles - firstTile),
      firstTile,
      tileBytes,
      slices: Array.from({ length: dispatches }, (_, i) => ({
        source: i * items * source,
        weight: firstTile * tileBytes,
        result: i * items * target,
      })),
    };
    return pairs.map((pair) => kernel({ ...options, ...pair }, windows));
  });
  return {
    name: kernels[0]!.name,
    kernels: [
      packTiles(weight, packed, geometry, direction === "input_grad", tile.vectors, traits),
      ...cleared,
      ...kernels,
    ],
    workspace: [firstTiles.at(-1)! * tileBytes + WINDOW_BYTES],
  };
}
