/**
 * Depthwise convolution in NHWC that reads lines of the source and all weights as uniforms (`line_windows.ts`), for
 * software adapters. An invocation computes a run of neighbouring target pixels in one line, for four channels: it walks along
 * the lines that the kernel's rows see and reads each of their pixels once.
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
import { sizeOf } from "../../runtime/core/shape.ts";
import { elementType, load, store } from "./access.ts";
import { type AxisPair, clearTarget, convAxes, convDispatches, type ConvProblem } from "./conv_plan.ts";
import { channelWidth } from "./depthwise.ts";
import {
  ascending,
  fewestDispatches,
  findLines,
  reachOf,
  readStep,
  rowReaders,
  rowReads,
  rowSlice,
  rowUniforms,
  rowWindows,
  type Taps,
} from "./depthwise_lines.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { type LineBlock, type LineBlocks, lineBlocks } from "./line_windows.ts";
import { declare } from "./tensors.ts";
import { unroll, unroll2 } from "./unroll.ts";
import { bytesOfNumbers, windowOf } from "./windows.ts";

/** Minimum number of products per dispatch: below it, a dispatch costs more than its window saves. */
const DISPATCH_PRODUCTS = 4096;

/** Lanes per workgroup: few workgroups cost less, and some are needed to keep all cores busy. */
const LANES = 32;
/** Number of lanes of a dispatch that keeps all cores busy. */
const BUSY_LANES = 256;
/** Minimum length of a run, which also reads the pixels around it. */
const FEWEST_PIXELS = 8;
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
  const { pairs: axes, clears } = convDispatches(problem);
  if (axes.some(({ y, x }) => y.taps === 0 || x.taps === 0)) return null;
  const pairs = axes.map(({ y, x }) => ({ y: ascending(y), x: ascending(x) }));
  const { x } = convAxes(problem);
  const lineOf = ({ dtype }: FloatBuffer, extent: number) => bytesOfNumbers(extent * groups, dtype);
  const written = lineOf(target, x[0]!.targetExtent);
  const divided = pairs.map(({ y }) =>
    fewestDispatches(
      y,
      (windows) =>
        lineBlocks(batch, y.count, rowReads(y, windows, lineOf(source, x[0]!.sourceExtent)), {
          start: (image, first) => (image * y.targetExtent + y.origin + first * y.step) * written,
          size: (lines) => ((lines - 1) * y.step + 1) * written,
        }),
    )
  );
  if (!divided.every((blocks) => blocks !== null)) return null;
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
      Array.from({ length: weights.count }, (_, w) => kernel(problem, pair, weights, w, block, blocks.windows))
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
  windows: LineBlocks["windows"],
): KernelSpec {
  const { source, target, bias, geometry: { groups, kernelSize }, traits } = problem;
  const vectors = groups / 4;
  const firstVector = weightWindow * weights.vectors;
  const ownVectors = Math.min(weights.vectors, vectors - firstVector);
  const most = Math.max(1, Math.floor(x.count / FEWEST_PIXELS));
  const run = Math.ceil(x.count / Math.min(most, Math.ceil(BUSY_LANES / (block.lines * ownVectors))));
  const runs = Math.ceil(x.count / run);
  const count = block.lines * runs * ownVectors;
  const apart = x.spacing === 1 ? "" : `d${x.spacing}`;
  return defineKernel({
    name: `${problem.name}.depthwise.${y.taps}x${x.taps}s${x.stride}${apart}.${source.dtype}_${target.dtype}.windows${
      windows.length === 1 ? "" : windows.length
    }`,
    buffers: {
      ...rowWindows("source", source, windows.length, windows[0]!),
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
      run,
      runs,
      countX: x.count,
      ...rowUniforms(y, block.first, block.shifts, x.sourceExtent * groups, source.dtype),
      sourceX: x.sourceExtent,
      startX: { i32: x.start },
      lineY: x.sourceExtent * vectors,
      firstTap: y.firstTap * kernelSize[1] + x.firstTap,
      tapStepY: { i32: y.tapStep * kernelSize[1] },
      tapStepX: { i32: x.tapStep },
      place: block.place / bytesOfNumbers(4, target.dtype),
      targetLine: y.step * x.targetExtent,
      originX: x.origin,
      stepX: x.step,
    },
    slices: block.slices.map(({ reads, written }) => ({
      ...rowSlice("source", reads),
      ...weights.count === 1 ? {} : { weight: weightWindow * WINDOW_BYTES },
      result: written,
    })),
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    prelude: rowReaders("source", source.dtype, windows.length),
    body: body(problem, y.taps, x, windows.length),
  });
}

function body({ bias, target }: ConvProblem, rows: number, x: Taps, windows: number): string {
  const reach = reachOf(x);
  return `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
let own = i % u.ownVectors;
let vector = u.firstVector + own;
let x = i / u.ownVectors % u.runs * u.run;
let y = i / u.ownVectors / u.runs;
let sourceY = i32(y * u.strideY) + u.startY;
${findLines(windows, rows)}
${
    unroll2(rows, x.taps, (ty, tx) =>
      `let w${ty}_${tx} = weight[u32(i32(u.firstTap) + ${ty} * u.tapStepY + ${tx} * u.tapStepX) * u.weightVectors + own];`)
  }
let first = ${bias === null ? "vec4<f32>()" : load("bias", "vector", bias.dtype, 4)};
${unroll(reach + 1, (q) => `var sum${q} = first;`)}
var to = u.place + (y * u.targetLine + x * u.stepX + u.originX) * u.vectors + vector;
for (var step = 0u; step < u.run + ${reach}u; step++) {
  let sourceX = i32((x + step) * ${x.stride}u) + u.startX;
${readStep("source", windows, rows, x, (a, ty, tap, steps) => `sum${steps} += ${a} * w${ty}_${tap};`)}
  if (step >= ${reach}u && x + step < u.countX + ${reach}u) {
    ${store("result", "to", `sum${reach}`, target, 4)}
    to += u.stepX * u.vectors;
  }
${Array.from({ length: reach }, (_, q) => `sum${reach - q} = sum${reach - q - 1};`).join("\n")}
  sum0 = first;
}`;
}
