/**
 * Depthwise convolution in NHWC that reads lines of the source and all weights as uniforms (`line_windows.ts`), for
 * software adapters. An invocation computes a run of neighbouring target pixels in one line, for four channels, and reads
 * each source pixel once for all taps of a kernel row that see it.
 *
 * @module
 */
import {
  type BufferRef,
  defineKernel,
  type KernelPlan,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
  WINDOW_BYTES,
} from "../../runtime/device/kernel.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { elementType, load, store } from "./access.ts";
import type { ConvAxis } from "./conv_axis.ts";
import { type AxisPair, clearTarget, convAxes, convDispatches, type ConvProblem } from "./conv_plan.ts";
import { channelWidth } from "./depthwise.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { type LineBlock, type LineBlocks, lineBlocks } from "./line_windows.ts";
import { forRows } from "./store_tile.ts";
import { declare } from "./tensors.ts";
import { unroll } from "./unroll.ts";
import { bytesOfNumbers, windowOf, windowReader } from "./windows.ts";

/** Products that kernels which read storage buffers take as long for as a dispatch of one that reads windows. */
const DISPATCH_PRODUCTS = 4096;

/** Target pixels per run, and lanes per workgroup: few workgroups cost less, and some are needed to keep all cores busy. */
export const RUN_PIXELS = 4;
const LANES = 32;
/** Vectors of four numbers in a window of weights. */
const WINDOW_VECTORS = WINDOW_BYTES / 16;

/** Windows of the weights: each has all taps of `vectors` times four channels. */
interface WeightWindows {
  readonly ref: BufferRef;
  readonly count: number;
  readonly vectors: number;
}

/** A plan, which is generated when it is called, and the number of its dispatches. */
export interface WindowedPlan {
  readonly plan: () => KernelPlan;
  readonly dispatches: number;
  /** True if all windows have the same size, so that layers share shaders, which take long to compile. */
  readonly shares: boolean;
}

/** Returns true if a plan takes less time than one that reads storage buffers, for this number of products. */
export function paysWindows({ dispatches, shares }: WindowedPlan, products: number): boolean {
  return shares && products >= dispatches * DISPATCH_PRODUCTS;
}

/**
 * Returns the plan and the number of its dispatches, or null if lines are too large for windows, channels are no multiple of
 * four, or the kernel is too large.
 */
export function windowedDepthwisePlan(problem: ConvProblem): WindowedPlan | null {
  const { geometry, source, target } = problem;
  if (channelWidth(geometry) !== 4) return null;
  const { groups, kernelSize, batch } = geometry;
  const count = Math.ceil(bytesOfNumbers(sizeOf(kernelSize) * groups, "f32") / WINDOW_BYTES);
  const weights = { ref: { workspace: 0 }, count, vectors: Math.ceil(groups / 4 / count) };
  if (sizeOf(kernelSize) * weights.vectors > WINDOW_VECTORS) return null;
  const { pairs, clears } = convDispatches(problem);
  const { x } = convAxes(problem);
  const lineOf = ({ dtype }: FloatBuffer, extent: number) => bytesOfNumbers(extent * groups, dtype);
  const written = lineOf(target, x[0]!.targetExtent);
  const divided = pairs.map(({ y }) => {
    if (y.taps === 0) return null;
    const reach = (y.taps - 1) * y.spacing;
    return lineBlocks(batch, y.count, [{
      extent: y.sourceExtent,
      line: lineOf(source, x[0]!.sourceExtent),
      stride: y.stride,
      from: y.start + Math.min(0, reach),
      halo: Math.abs(reach),
    }], {
      start: (image, first) => (image * y.targetExtent + y.origin + first * y.step) * written,
      size: (lines) => ((lines - 1) * y.step + 1) * written,
    });
  });
  if (!divided.every((blocks) => blocks !== null) || pairs.some(({ x }) => x.taps === 0)) return null;
  const plan = () => planOf(problem, weights, pairs.map((pair, i) => ({ pair, blocks: divided[i]! })), clears);
  return {
    plan,
    dispatches: weights.count * divided.reduce((sum, { dispatches }) => sum + dispatches, 0),
    shares: divided.every(({ windows }) => windows[0] === WINDOW_BYTES),
  };
}

function planOf(
  problem: ConvProblem,
  weights: WeightWindows,
  parts: readonly { readonly pair: AxisPair; readonly blocks: LineBlocks }[],
  clears: boolean,
): KernelPlan {
  const { target, geometry: { batch, groups }, traits } = problem;
  const kernels = parts.flatMap(({ pair, blocks }) =>
    blocks.blocks.flatMap((block) =>
      Array.from({ length: weights.count }, (_, w) => kernel(problem, pair, weights, w, block, blocks.windows[0]!))
    )
  );
  const { y, x } = parts[0]!.pair;
  return {
    name: kernels[0]!.name,
    kernels: [
      packWindows(problem, weights),
      ...(clears ? [clearTarget(target, batch * y.targetExtent * x.targetExtent * groups, traits)] : []),
      ...kernels,
    ],
    workspace: [weights.count * WINDOW_BYTES],
  };
}

/** Copies the weights to their windows, as f32. */
function packWindows({ weight, geometry, traits }: ConvProblem, { ref, vectors }: WeightWindows): KernelSpec {
  const row = geometry.groups / 4;
  const count = sizeOf(geometry.kernelSize) * row;
  return defineKernel({
    name: `conv2d.pack_windows.${weight.dtype}`,
    buffers: {
      weight: { ref: weight.ref, type: elementType(weight.dtype, 4), access: "read" },
      packed: { ref, type: "vec4<f32>" },
    },
    uniforms: { count, row, vectors },
    workgroupSize: [64],
    grid: linearGrid(count, 64, traits.maxWorkgroupsPerDimension),
    body: `
let i = ${LINEAR_INDEX(64)};
if (i >= u.count) { return; }
let vector = i % u.row;
let to = vector / u.vectors * ${WINDOW_VECTORS}u + i / u.row * u.vectors + vector % u.vectors;
packed[to] = ${load("weight", "i", weight.dtype, 4)};`,
  });
}

function kernel(
  problem: ConvProblem,
  { y, x }: AxisPair,
  weights: WeightWindows,
  weightWindow: number,
  block: LineBlock,
  window: number,
): KernelSpec {
  const { source, target, bias, geometry: { groups, kernelSize }, traits } = problem;
  const vectors = groups / 4;
  const firstVector = weightWindow * weights.vectors;
  const ownVectors = Math.min(weights.vectors, vectors - firstVector);
  const runs = Math.ceil(x.count / RUN_PIXELS);
  const count = block.lines * runs * ownVectors;
  // Taps in the order of the pixels that they read, so that both directions share a shader
  const reversed = x.spacing < 0;
  const firstTapX = reversed ? x.firstTap + (x.taps - 1) * x.tapStep : x.firstTap;
  const run = { stride: x.stride, spacing: Math.abs(x.spacing), taps: x.taps };
  return defineKernel({
    name: `${problem.name}.depthwise.${x.taps}s${x.stride}.${source.dtype}_${target.dtype}.windows`,
    buffers: {
      source: windowOf(source, window),
      weight: windowOf({ ref: weights.ref, dtype: "f32" }, WINDOW_BYTES),
      ...bias === null ? {} : { bias: { ref: bias.ref, type: elementType(bias.dtype, 4), access: "read" } },
      result: { ...declare(target, 4), window: block.written },
    },
    uniforms: {
      count,
      vectors,
      firstVector,
      ownVectors,
      weightVectors: weights.vectors,
      runs,
      countX: x.count,
      ...lineUniforms(y, block),
      tapsY: y.taps,
      sourceX: x.sourceExtent,
      startX: { i32: reversed ? x.start + (x.taps - 1) * x.spacing : x.start },
      lineY: x.sourceExtent * vectors,
      firstTap: y.firstTap * kernelSize[1] + firstTapX,
      tapStepY: y.tapStep * kernelSize[1],
      tapStepX: { i32: reversed ? -x.tapStep : x.tapStep },
      shift: { i32: lineShift(y, block, x.sourceExtent * groups, source.dtype) },
      place: block.place / bytesOfNumbers(4, target.dtype),
      targetLine: y.step * x.targetExtent,
      originX: x.origin,
      stepX: x.step,
    },
    slices: block.slices.map(({ reads, written }) => ({
      source: reads[0]!,
      weight: weightWindow * WINDOW_BYTES,
      result: written,
    })),
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    prelude: windowReader("source", source.dtype, 4),
    body: body(problem, run),
  });
}

/** Neighbouring pixels that a lane computes, and the pixels of a source line that they see through the taps. */
interface Run {
  readonly stride: number;
  /** Pixels between taps. */
  readonly spacing: number;
  readonly taps: number;
}

/** Returns uniforms that tell if a tap sees a line inside of the image; lines of inner blocks need no test. */
export function lineUniforms({ start, stride, spacing, sourceExtent, taps }: ConvAxis, { first }: LineBlock) {
  return {
    startY: { i32: first === null ? -Math.min(0, (taps - 1) * spacing) : first * stride + start },
    limitY: first === null ? 0x7fffffff : sourceExtent,
    strideY: stride,
    spacingY: { i32: spacing },
  };
}

/** Returns the vectors of four numbers from the start of a window to line 0 as {@linkcode lineUniforms} count lines. */
export function lineShift(
  { start, stride, spacing, taps }: ConvAxis,
  { first, shifts }: LineBlock,
  lineNumbers: number,
  dtype: FloatType,
): number {
  const from = first === null ? 0 : first * stride + start + Math.min(0, (taps - 1) * spacing);
  return (shifts[0]! - bytesOfNumbers(from * lineNumbers, dtype)) / bytesOfNumbers(4, dtype);
}

/**
 * Returns WGSL that reads the source pixels of a run in line `iy` and runs `use` on each, named `a`, with the pixels of the
 * run and the taps that see it. Needs the variables `sourceX` and `vector`.
 *
 * @param name function that reads the window
 */
export function readRun(
  name: string,
  { stride, spacing, taps }: Run,
  use: (a: string, pixel: number, tap: number) => string,
): string {
  const users = Array.from({ length: RUN_PIXELS * taps }, (_, i) => {
    const [pixel, tap] = [Math.floor(i / taps), i % taps];
    return { pixel, tap, place: pixel * stride + tap * spacing };
  });
  const places = [...new Set(users.map(({ place }) => place))].sort((a, b) => a - b);
  return `let limit = select(0u, u.sourceX, iy < u.limitY);
let line = iy * u.lineY + u32(u.shift) + vector;
${
    places.map((at, n) =>
      `let x${n} = u32(sourceX + ${at});
let in${n} = x${n} < limit;
let a${n} = select(vec4<f32>(), ${name}(select(0u, line + x${n} * u.vectors, in${n})), in${n});
${users.filter(({ place }) => place === at).map(({ pixel, tap }) => use(`a${n}`, pixel, tap)).join("\n")}`
    ).join("\n")
  }`;
}

function body({ bias, target, traits }: ConvProblem, run: Run): string {
  return `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
let own = i % u.ownVectors;
let vector = u.firstVector + own;
let x = i / u.ownVectors % u.runs * ${RUN_PIXELS}u;
let y = i / u.ownVectors / u.runs;
let sourceX = i32(x) * ${run.stride} + u.startX;
let sourceY = i32(y * u.strideY) + u.startY;
${unroll(RUN_PIXELS, (p) => `var sum${p} = ${bias === null ? "vec4<f32>()" : load("bias", "vector", bias.dtype, 4)};`)}
for (var ty = 0u; ty < u.tapsY; ty++) {
  let iy = u32(sourceY + i32(ty) * u.spacingY);
  let tap = i32(u.firstTap + ty * u.tapStepY);
${unroll(run.taps, (t) => `let w${t} = weight[u32(tap + ${t} * u.tapStepX) * u.weightVectors + own];`)}
${readRun("sourceAt", run, (a, pixel, tap) => `sum${pixel} += ${a} * w${tap};`)}
}
let to = u.place + (y * u.targetLine + x * u.stepX + u.originX) * u.vectors + vector;
${
    forRows(
      traits,
      Array.from({ length: RUN_PIXELS }, (_, p) => [`sum${p}`]),
      (p, [sum]) =>
        `if (x + ${p} < u.countX) { ${store("result", `to + ${p} * u.stepX * u.vectors`, sum!, target, 4)} }`,
    )
  }`;
}
