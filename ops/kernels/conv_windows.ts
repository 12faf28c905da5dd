/**
 * Plan of the convolution by runs of pixels (`conv_runs.ts`) that reads whole images and tiles of weights as uniforms,
 * for software adapters. The weights are packed first, so that a window holds whole tiles of target channels.
 *
 * @module
 */
import { roundUp } from "../../runtime/core/round_up.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { type KernelPlan, WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import { convAxes, type ConvProblem } from "./conv_plan.ts";
import { convRuns, runsFit, runsTile, writesUnpadded } from "./conv_runs.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { packTiles } from "./pack_weights.ts";
import { SIMD_LANES } from "./simd.ts";
import { bytesOfNumbers, SLICE_ALIGNMENT, sliced, type Slicing } from "./windows.ts";

/** Division of a convolution into dispatches. */
interface ConvWindows {
  readonly images: Slicing;
  /** Bytes of a source image and of a target image. */
  readonly source: number;
  readonly target: number;
  /** Bytes of the weights of a tile of target channels, and the tiles that a window holds. */
  readonly tileBytes: number;
  readonly tilesPerWindow: number;
}

/** Returns the plan, or null if images or weights are too large for windows, or shapes are unsuitable. */
export function windowedRunsPlan(problem: ConvProblem): (() => KernelPlan) | null {
  const windows = windowsOf(problem);
  return windows === null ? null : () => plan(problem, windows);
}

function channelsOf({ geometry, direction }: ConvProblem): [source: number, target: number] {
  const { inputChannels, outputChannels } = geometry;
  return direction === "forward" ? [inputChannels, outputChannels] : [outputChannels, inputChannels];
}

function windowsOf(problem: ConvProblem): ConvWindows | null {
  const { geometry, source, target, planes } = problem;
  const { y, x } = convAxes(problem);
  const [from, to] = channelsOf(problem);
  if (planes || geometry.groups !== 1 || y.length !== 1 || x.length !== 1 || !runsFit(x[0]!)) return null;
  if (to % 4 !== 0 && !writesUnpadded(to, 1, x[0]!)) return null;
  const bytes = (channels: number, extents: number, { dtype }: FloatBuffer) =>
    bytesOfNumbers(channels * extents, dtype);
  const sourceBytes = bytes(from, y[0]!.sourceExtent * x[0]!.sourceExtent, source);
  const targetBytes = bytes(to, y[0]!.targetExtent * x[0]!.targetExtent, target);
  const images = sliced(geometry.batch, [sourceBytes], [targetBytes]);
  const tileBytes = sizeOf(geometry.kernelSize) * from * runsTile(to, SIMD_LANES, 16).vectors * 16;
  const tilesPerWindow = Math.floor(WINDOW_BYTES / tileBytes);
  if (images === null || tilesPerWindow === 0) return null;
  const aligned = tilesPerWindow * tileBytes % SLICE_ALIGNMENT === 0;
  if (!aligned && to > tilesPerWindow * 4 * runsTile(to, SIMD_LANES, 16).vectors) return null;
  return { images, source: sourceBytes, target: targetBytes, tileBytes, tilesPerWindow };
}

function plan(problem: ConvProblem, { images, source, target, tileBytes, tilesPerWindow }: ConvWindows): KernelPlan {
  const { geometry, weight, traits } = problem;
  const { y, x } = convAxes(problem);
  const [sourceChannels, targetChannels] = channelsOf(problem);
  const tile = runsTile(targetChannels, SIMD_LANES, 16);
  const tiles = Math.ceil(targetChannels / (4 * tile.vectors));
  const packed = { workspace: 0 };
  const firstTiles = Array.from({ length: Math.ceil(tiles / tilesPerWindow) }, (_, i) => i * tilesPerWindow);
  const kernels = firstTiles.map((firstTile) =>
    convRuns(
      {
        ...problem,
        batch: images.items,
        groups: 1,
        sourceChannels,
        targetChannels,
        y: y[0]!,
        x: x[0]!,
        kernelWidth: geometry.kernelSize[1],
        weight: { ref: packed, dtype: "f32" },
        tile,
      },
      "packed",
      targetChannels % 4 !== 0,
      {
        source: images.items * source,
        target: roundUp(images.items * target, 16),
        tiles: Math.min(tilesPerWindow, tiles - firstTile),
        firstTile,
        slices: Array.from({ length: images.dispatches }, (_, i) => ({
          source: i * images.items * source,
          weight: firstTile * tileBytes,
          result: i * images.items * target,
        })),
      },
    )
  );
  return {
    name: kernels[0]!.name,
    kernels: [
      packTiles(weight, packed, geometry, problem.direction === "input_grad", tile.vectors, traits),
      ...kernels,
    ],
    workspace: [firstTiles.at(-1)! * tileBytes + WINDOW_BYTES],
  };
}
