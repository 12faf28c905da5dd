/**
 * Shared setup for the kernel families of a convolution's weight gradient. Each kernel sums over shares of the output
 * into separate partial sums, which are added in a fixed order.
 *
 * @module
 */
import type { BufferRef, KernelOptions, KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { axisOf, type ConvGeometry, linesOf } from "../conv_geometry.ts";
import { elementType } from "./access.ts";
import { forwardAxis } from "./conv_axis.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { lineBlocks, type LineRead, linesPerBlock, MOST_LINES } from "./line_windows.ts";
import { leastLanes, leastParts, nestedIterations } from "./loop_limit.ts";
import { partialBytes, reducePartials } from "./reduce_partials.ts";
import { bytesOfNumbers, SLICE_ALIGNMENT, sliced, type Slicing } from "./windows.ts";

export interface WeightGradProblem {
  readonly name: string;
  /** `[n][h][w][groups * inputChannels]` */
  readonly x: FloatBuffer;
  /** `[n][oh][ow][groups * outputChannels]` */
  readonly dy: FloatBuffer;
  /** `[tap][inputChannels][groups * outputChannels]` */
  readonly target: FloatBuffer;
  readonly geometry: ConvGeometry;
  /** True if x and dy are `[n][channels][y][x]`. */
  readonly planes: boolean;
  readonly traits: DeviceTraits;
}

/** Options of a family's kernel. */
export interface WeightGradOptions extends WeightGradProblem {
  /** f32 `[splits][rows][groups][outputChannels]`, `outputChannels` padded to a multiple of four. */
  readonly partial: BufferRef;
  /** Number of shares of the sum. */
  readonly splits: number;
}

/** Maximum size of all partial sums, in bytes. */
const MOST_PARTIAL_BYTES = 1 << 26;

/** Returns the number of rows (ky, kx, input channel) of the weight as a matrix. */
export function weightRows({ kernelSize, inputChannels }: ConvGeometry): number {
  return kernelSize[0] * kernelSize[1] * inputChannels;
}

/** Returns the sizes of {@linkcode WeightGradOptions.partial}. */
export function weightPartials(geometry: ConvGeometry, splits: number) {
  const { groups, outputChannels } = geometry;
  return { splits, rows: weightRows(geometry), groups, columns: outputChannels };
}

/**
 * Returns the number of shares: enough for `wanted` workgroups at `tiles` per share, at most `most`, and few enough to
 * keep the partial sums small. Depends on the shape only.
 *
 * @throws {InputError} if a share is too large for a software adapter
 */
export function weightGradShares(
  { geometry, traits }: WeightGradProblem,
  { tiles, wanted, most }: { readonly tiles: number; readonly wanted: number; readonly most: number },
): number {
  const room = Math.floor(
    Math.min(traits.maxStorageBindingBytes, MOST_PARTIAL_BYTES) / partialBytes(weightPartials(geometry, 1)),
  );
  const wished = Math.max(Math.ceil(wanted / tiles), leastShares(geometry, traits));
  return checkedShares(Math.max(1, Math.min(wished, most, room)), { geometry, traits });
}

/** Returns the least number of shares of the lines whose loops a software adapter does not end early. */
export function leastShares(geometry: ConvGeometry, traits: DeviceTraits): number {
  return leastLanes(linesOf(geometry), nestedIterations(1, geometry.outputSize[1]) - 1, traits);
}

/**
 * Returns the number of shares.
 *
 * @throws {InputError} if a share is too large for a software adapter
 */
export function checkedShares(
  shares: number,
  { geometry, traits }: Pick<WeightGradProblem, "geometry" | "traits">,
): number {
  const iterations = nestedIterations(Math.ceil(linesOf(geometry) / shares), geometry.outputSize[1]);
  if (leastParts(iterations, traits) > 1) {
    const pixels = [geometry.batch, ...geometry.outputSize].join(" x ");
    throw new InputError(
      `The weight gradient of a convolution sums too many pixels (${pixels}) for a software adapter, whose loops end ` +
        "early; lower loader.batchSize, or use a GPU",
    );
  }
  return shares;
}

/** Division of a weight gradient into kernels that read windows of x and dy. */
export interface WeightGradWindows {
  readonly parts: readonly WeightGradPart[];
  /** Shares of the sum per dispatch, and of all of them. */
  readonly shares: number;
  readonly splits: number;
}

/** Windows of x, dy and the partial sums that a dispatch binds, in bytes, and their offsets for each dispatch. */
export interface WeightGradPart {
  readonly x: number;
  readonly dy: number;
  readonly partial: number;
  readonly slices: readonly { readonly x: number; readonly dy: number; readonly partial: number }[];
  /** Images per dispatch, and lines of dy in each. */
  readonly images: number;
  readonly lines: number;
  /** Line of x that kernel row 0 sees from the first line of dy, and the number of lines. */
  readonly startY: number;
  readonly inputY: number;
  /** Bytes from the begin of the windows to line 0 of x, to the first line of dy and to the partial sums. */
  readonly xShift: number;
  readonly dyShift: number;
  readonly place: number;
}

/** Workgroups of a weight gradient that reads windows. */
interface WeightGradWork {
  /** Workgroups per share. */
  readonly tiles: number;
  /** Workgroups of all dispatches, of which each has at least `least`. */
  readonly wanted: number;
  readonly least: number;
  /** Minimum number of lines per share. */
  readonly lines: number;
}

/**
 * Divides the images among dispatches that read them as uniforms (`windows.ts`), or blocks of their lines if an image is
 * larger than a window. Returns null if that is impossible.
 */
export function weightGradWindows(problem: WeightGradProblem, work: WeightGradWork): WeightGradWindows | null {
  const { geometry, x, dy, traits } = problem;
  const { batch, inputSize, outputSize, inputChannels, outputChannels, groups } = geometry;
  const xLine = bytesOfNumbers(inputSize[1] * groups * inputChannels, x.dtype);
  const dyLine = bytesOfNumbers(outputSize[1] * groups * outputChannels, dy.dtype);
  const [xBytes, dyBytes] = [inputSize[0] * xLine, outputSize[0] * dyLine];
  const bytes = partialBytes(weightPartials(geometry, 1));
  const images = sliced(batch, [xBytes, dyBytes], []);
  const windows = images === null
    ? linesOfImages(geometry, xLine, dyLine, bytes, work)
    : wholeImages(geometry, images, xBytes, dyBytes, bytes, work);
  const most = Math.min(traits.maxStorageBindingBytes, MOST_PARTIAL_BYTES);
  return windows === null || windows.splits * bytes > most ? null : windows;
}

function wholeImages(
  { outputSize, inputSize, padding }: ConvGeometry,
  images: Slicing,
  xBytes: number,
  dyBytes: number,
  bytes: number,
  { tiles, wanted, least, lines }: WeightGradWork,
): WeightGradWindows | null {
  const enough = Math.ceil(Math.max(least, wanted / images.dispatches) / tiles);
  const most = Math.floor(images.items * outputSize[0] / lines);
  // Partial sums of a dispatch begin at an aligned offset
  let shares = Math.max(1, Math.min(enough, most));
  while (shares * bytes % SLICE_ALIGNMENT !== 0) shares++;
  if (shares > Math.max(1, most)) return null;
  const of = (i: number) => ({
    x: i * images.items * xBytes,
    dy: i * images.items * dyBytes,
    partial: i * shares * bytes,
  });
  const part = {
    ...of(1),
    slices: Array.from({ length: images.dispatches }, (_, i) => of(i)),
    images: images.items,
    lines: outputSize[0],
    startY: -padding[0],
    inputY: inputSize[0],
    xShift: 0,
    dyShift: 0,
    place: 0,
  };
  return { parts: [part], shares, splits: shares * images.dispatches };
}

/** Divides images into blocks of lines of dy, and the lines of x that they see. */
function linesOfImages(
  geometry: ConvGeometry,
  xLine: number,
  dyLine: number,
  bytes: number,
  { tiles, wanted, least, lines }: WeightGradWork,
): WeightGradWindows | null {
  const { batch, inputSize, outputSize } = geometry;
  const y = forwardAxis(axisOf(geometry, 0));
  const reads: LineRead[] = [
    { extent: inputSize[0], line: xLine, stride: y.stride, from: y.start, halo: (y.taps - 1) * y.spacing },
    { extent: outputSize[0], line: dyLine, stride: 1, from: 0, halo: 0 },
  ];
  const perBlock = linesPerBlock(y.count, reads);
  const dispatches = batch * Math.ceil(y.count / perBlock);
  const enough = Math.ceil(Math.max(least, wanted / dispatches) / tiles);
  const shares = Math.max(1, Math.min(enough, Math.floor(perBlock / lines)));
  const blocks = lineBlocks(batch, y.count, reads, {
    start: (_image, _first, block) => block * shares * bytes,
    size: () => shares * bytes,
  });
  if (blocks === null) return null;
  const parts = blocks.blocks.map((block): WeightGradPart => {
    // Lines of inner blocks count from the first that the block sees, those of others from the image's first
    const from = block.first === null ? 0 : block.first * y.stride + y.start;
    return {
      x: blocks.windows[0]!,
      dy: blocks.windows[1]!,
      partial: block.written,
      slices: block.slices.map(({ reads, written }) => ({ x: reads[0]!, dy: reads[1]!, partial: written })),
      images: 1,
      lines: block.lines,
      startY: from,
      inputY: block.first === null ? MOST_LINES : inputSize[0],
      xShift: block.shifts[0]! - from * xLine,
      dyShift: block.shifts[1]!,
      place: block.place,
    };
  });
  return { parts, shares, splits: shares * dispatches };
}

/** Returns uniforms that locate the lines of x, dy and the sums; without windows, those of all images. */
export function lineUniforms(
  { x, dy, geometry: g }: WeightGradOptions,
  part: WeightGradPart | null,
  width: { readonly x: 1 | 2 | 4; readonly dy: 1 | 2 | 4 },
) {
  return {
    inputY: part?.inputY ?? g.inputSize[0],
    inputX: g.inputSize[1],
    outputY: part?.lines ?? g.outputSize[0],
    outputX: g.outputSize[1],
    startY: { i32: part?.startY ?? -g.padding[0] },
    ...part === null ? {} : {
      xShift: { i32: part.xShift / bytesOfNumbers(width.x, x.dtype) },
      dyShift: part.dyShift / bytesOfNumbers(width.dy, dy.dtype),
      place: part.place / bytesOfNumbers(width.dy, "f32"),
    },
  };
}

/** Returns the plan of kernels that write partial sums of the given shape. */
export function weightGradPlan(
  problem: WeightGradProblem,
  splits: number,
  kernelsOf: (options: WeightGradOptions) => KernelSpec | readonly KernelSpec[],
  partials = weightPartials(problem.geometry, splits),
): KernelPlan {
  const { target, traits } = problem;
  const partial = { workspace: 0 };
  const kernels = [kernelsOf({ ...problem, partial, splits })].flat();
  return {
    name: kernels[0]!.name,
    kernels: [...kernels, reducePartials({ ...partials, partial, target, traits })],
    workspace: [partialBytes(partials)],
  };
}

/** Declares the buffers with the given numbers per element. */
export function weightGradBuffers(
  { x, dy, partial }: WeightGradOptions,
  width: { readonly x: 1 | 4; readonly dy: 1 | 4; readonly partial?: 1 | 4 },
): KernelOptions["buffers"] {
  return {
    x: { ref: x.ref, type: elementType(x.dtype, width.x), access: "read" },
    dy: { ref: dy.ref, type: elementType(dy.dtype, width.dy), access: "read" },
    partial: { ref: partial, type: elementType("f32", width.partial ?? 4) },
  };
}

/** Returns uniforms with the sizes of the images that the sum runs over. */
export function imageUniforms({ inputSize, outputSize }: ConvGeometry) {
  return { inputY: inputSize[0], inputX: inputSize[1], outputY: outputSize[0], outputX: outputSize[1] };
}

/** Returns uniforms that map an output pixel to the input pixel that a tap sees. */
export function windowUniforms({ kernelSize, stride, padding, dilation }: ConvGeometry) {
  return {
    kernelX: kernelSize[1],
    strideY: stride[0],
    strideX: stride[1],
    paddingY: { i32: padding[0] },
    paddingX: { i32: padding[1] },
    dilationY: dilation[0],
    dilationX: dilation[1],
  };
}
