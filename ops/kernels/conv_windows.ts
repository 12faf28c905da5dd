/**
 * Plans of convolutions that read whole images, or blocks of their lines, and tiles of weights as uniforms, for software
 * adapters. The weights are packed first, so that a window holds whole tiles of target channels.
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
import { lineBlocks, MOST_LINES } from "./line_windows.ts";
import { packTiles } from "./pack_weights.ts";
import { SIMD_LANES } from "./simd.ts";
import { bytesOfNumbers, SLICE_ALIGNMENT, sliced, type Slicing } from "./windows.ts";

/** Builder of a family's kernel. */
type WindowedKernel = (options: ConvTileOptions, windows: ConvWindows) => KernelSpec;

/** Division of a convolution into dispatches. */
interface Division {
  readonly tile: ConvTile;
  /** No tap sees the pixels of other pairs. */
  readonly clears: boolean;
  /** Numbers of the target. */
  readonly targetNumbers: number;
  /** Windows of source and target. */
  readonly parts: readonly Part[];
  /** Bytes of the weights of a tile of target channels, and the tiles that a window holds. */
  readonly tileBytes: number;
  readonly tilesPerWindow: number;
}

/** A kernel's part of the images. */
interface Part extends AxisPair, Omit<ConvWindows, "slices" | "tiles" | "firstTile" | "tileBytes"> {
  /** Images per dispatch. */
  readonly batch: number;
  readonly slices: readonly { readonly source: number; readonly result: number }[];
}

/**
 * Returns the plan by runs of pixels, or null if images or weights are too large for windows, or shapes are unsuitable.
 *
 * @param fewestTaps taps of a line that make runs worthwhile
 */
export function windowedRunsPlan(problem: ConvProblem, fewestTaps = 3): (() => KernelPlan) | null {
  const [, to] = channelsOf(problem);
  const { y, x } = convAxes(problem);
  const fits = y.length === 1 && x.length === 1 && runsFit(x[0]!, fewestTaps) &&
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
  const tileBytes = sizeOf(geometry.kernelSize) * from * tile.vectors * 16;
  const tilesPerWindow = Math.floor(WINDOW_BYTES / tileBytes);
  if (tilesPerWindow === 0) return null;
  const aligned = tilesPerWindow * tileBytes % SLICE_ALIGNMENT === 0;
  if (!aligned && to > tilesPerWindow * 4 * tile.vectors) return null;
  const { pairs, clears } = convDispatches(problem);
  if (pairs.some(({ y, x }) => y.taps === 0 || x.taps === 0)) return null;
  const sourceLine = bytesOfNumbers(from * x[0]!.sourceExtent, source.dtype);
  const targetLine = bytesOfNumbers(to * x[0]!.targetExtent, target.dtype);
  const [sourceBytes, targetBytes] = [sourceLine * y[0]!.sourceExtent, targetLine * y[0]!.targetExtent];
  const images = sliced(geometry.batch, [sourceBytes], [targetBytes]);
  const parts = images !== null
    ? pairs.map((pair) => wholeImages(pair, images, sourceBytes, targetBytes))
    : pairs.map((pair) => blocksOfLines(pair, geometry.batch, sourceLine, targetLine));
  if (!parts.every((part) => part !== null)) return null;
  const targetNumbers = geometry.batch * targetBytes / DTYPE_BYTES[target.dtype];
  return { tile, clears, targetNumbers, parts: parts.flat(), tileBytes, tilesPerWindow };
}

/** Returns the part of a kernel that reads whole images, of `source` bytes each. */
function wholeImages(pair: AxisPair, { items, dispatches }: Slicing, source: number, target: number): Part {
  return {
    ...pair,
    batch: items,
    source: items * source,
    target: roundUp(items * target, 16),
    sourceShift: 0,
    targetShift: 0,
    slices: Array.from({ length: dispatches }, (_, i) => ({ source: i * items * source, result: i * items * target })),
  };
}

/** Returns the parts of kernels that read blocks of lines with those around them; null if lines are too large. */
function blocksOfLines({ y, x }: AxisPair, batch: number, source: number, target: number): Part[] | null {
  const reach = (y.taps - 1) * y.spacing;
  const first = y.start + Math.min(0, reach);
  const read = { extent: y.sourceExtent, line: source, stride: y.stride, from: first, halo: Math.abs(reach) };
  const divided = lineBlocks(batch, y.count, [read], {
    start: (image, first) => (image * y.targetExtent + y.origin + first * y.step) * target,
    size: (lines) => ((lines - 1) * y.step + 1) * target,
  });
  return divided && divided.blocks.map((block): Part => {
    // Lines of inner blocks count from the first that the block sees, those of others from the image's first
    const from = block.first === null ? 0 : block.first * y.stride + first;
    const own = { count: block.lines, start: from - Math.min(0, reach), origin: 0 };
    return {
      x,
      y: { ...y, ...own, sourceExtent: block.first === null ? MOST_LINES : y.sourceExtent },
      batch: 1,
      source: divided.windows[0]!,
      target: block.written,
      sourceShift: block.shifts[0]! - from * source,
      targetShift: block.place,
      slices: block.slices.map(({ reads, written }) => ({ source: reads[0]!, result: written })),
    };
  });
}

function planOf(problem: ConvProblem, division: Division, kernel: WindowedKernel): KernelPlan {
  const { geometry, weight, direction, traits } = problem;
  const { tile, clears, targetNumbers, parts, tileBytes, tilesPerWindow } = division;
  const [sourceChannels, targetChannels] = channelsOf(problem);
  const tiles = Math.ceil(targetChannels / (4 * tile.vectors));
  const packed = { workspace: 0 };
  const cleared = clears ? [clearTarget(problem.target, targetNumbers, traits)] : [];
  const firstTiles = Array.from({ length: Math.ceil(tiles / tilesPerWindow) }, (_, i) => i * tilesPerWindow);
  const options = {
    ...problem,
    groups: 1,
    sourceChannels,
    targetChannels,
    kernelWidth: geometry.kernelSize[1],
    weight: { ref: packed, dtype: "f32" },
    tile,
  } as const;
  const kernels = firstTiles.flatMap((firstTile) =>
    parts.map(({ y, x, batch, slices, ...windows }) =>
      kernel({ ...options, y, x, batch }, {
        ...windows,
        tiles: Math.min(tilesPerWindow, tiles - firstTile),
        firstTile,
        tileBytes,
        slices: slices.map((slice) => ({ ...slice, weight: firstTile * tileBytes })),
      })
    )
  );
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
