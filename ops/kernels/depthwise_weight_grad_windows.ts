/**
 * Weight gradient of a depthwise convolution in NHWC that reads lines of x and dy as uniforms (`line_windows.ts`), for
 * software adapters. An invocation sums all taps, for four channels, over its share of a dispatch's lines.
 *
 * @module
 */
import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid, WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { axisOf } from "../conv_geometry.ts";
import { type ConvAxis, forwardAxis } from "./conv_axis.ts";
import { type WeightGradOptions, weightGradPlan, type WeightGradProblem } from "./conv_weight_grad_plan.ts";
import { channelWidth } from "./depthwise.ts";
import {
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
import type { WindowedPlan } from "./depthwise_windows.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { type LineBlock, lineBlocks, type LineRead, linesPerBlock } from "./line_windows.ts";
import { partialBytes } from "./reduce_partials.ts";
import { forRows } from "./store_tile.ts";
import { unroll } from "./unroll.ts";
import { bytesOfNumbers, windowOf, windowReader } from "./windows.ts";

/** Lanes per workgroup, and minimum lanes per dispatch that keep all cores busy. */
const LANES = 16;
const BUSY_LANES = 64;

/** Returns the plan and the number of its dispatches, or null where `windowedDepthwisePlan` does. */
export function windowedDepthwiseWeightGradPlan(problem: WeightGradProblem): WindowedPlan | null {
  const { geometry: g, x, dy, traits } = problem;
  const [rows, columns] = g.kernelSize;
  if (channelWidth(g) !== 4) return null;
  const y = forwardAxis(axisOf(g, 0));
  const lineOf = ({ dtype }: FloatBuffer, pixels: number) => bytesOfNumbers(pixels * g.groups, dtype);
  const sums = { rows: rows * columns, groups: 1, columns: g.groups };
  const bytes = partialBytes({ splits: 1, ...sums });
  const divided = fewestDispatches(y, (windows) => {
    const reads: LineRead[] = [
      { extent: g.outputSize[0], line: lineOf(dy, g.outputSize[1]), stride: 1, from: 0, halo: 0 },
      ...rowReads(y, windows, lineOf(x, g.inputSize[1])),
    ];
    const shares = Math.min(linesPerBlock(y.count, reads), Math.ceil(BUSY_LANES / (g.groups / 4)));
    const blocks = lineBlocks(g.batch, y.count, reads, {
      start: (_image, _first, block) => block * shares * bytes,
      size: () => shares * bytes,
    });
    return blocks && { ...blocks, shares };
  });
  if (divided === null) return null;
  const { blocks, windows, dispatches, shares } = divided;
  const splits = dispatches * shares;
  if (splits * bytes > traits.maxStorageBindingBytes) return null;
  const plan = () =>
    weightGradPlan(
      problem,
      splits,
      (options) => blocks.map((block) => kernel(options, y, block, windows, shares)),
      { splits, ...sums },
    );
  return { plan, dispatches, shares: windows.every((window) => window === WINDOW_BYTES) };
}

function kernel(
  { name, x, dy, partial, geometry: g, traits }: WeightGradOptions,
  y: ConvAxis,
  block: LineBlock,
  [dyWindow, ...xWindows]: readonly number[],
  shares: number,
): KernelSpec {
  const axis = forwardAxis(axisOf(g, 1));
  const vectors = g.groups / 4;
  const windows = xWindows.length;
  const count = shares * vectors;
  const [dyShift, ...xShifts] = block.shifts;
  const apart = axis.spacing === 1 ? "" : `d${axis.spacing}`;
  return defineKernel({
    name: `${name}.depthwise.${y.taps}x${axis.taps}s${axis.stride}${apart}.${x.dtype}_${dy.dtype}.windows${
      windows === 1 ? "" : windows
    }`,
    buffers: {
      ...rowWindows("x", x, windows, xWindows[0]!),
      dy: windowOf(dy, dyWindow!),
      partial: { ref: partial, type: "vec4<f32>", window: block.written },
    },
    uniforms: {
      count,
      vectors,
      lines: block.lines,
      shares,
      countX: axis.count,
      ...rowUniforms(y, block.first, xShifts, axis.sourceExtent * g.groups, x.dtype),
      sourceX: axis.sourceExtent,
      startX: { i32: axis.start },
      lineY: axis.sourceExtent * vectors,
      place: block.place / 16,
      shiftDy: dyShift! / bytesOfNumbers(4, dy.dtype),
    },
    slices: block.slices.map(({ reads: [dyRead, ...xReads], written }) => ({
      ...rowSlice("x", xReads),
      dy: dyRead!,
      partial: written,
    })),
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    prelude: `${rowReaders("x", x.dtype, windows)}\n${windowReader("dy", dy.dtype, 4)}`,
    body: body(y.taps, axis, windows, traits),
  });
}

function body(rows: number, x: Taps, windows: number, traits: DeviceTraits): string {
  const reach = reachOf(x);
  const sums = Array.from({ length: rows * x.taps }, (_, tap) => `sum${tap}`);
  return `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
let vector = i % u.vectors;
let share = i / u.vectors;
${sums.map((sum) => `var ${sum} = vec4<f32>();`).join("\n")}
for (var y = share; y < u.lines; y += u.shares) {
  let sourceY = i32(y * u.strideY) + u.startY;
${findLines(windows, rows)}
  let dyLine = u.shiftDy + y * u.countX * u.vectors + vector;
${unroll(reach + 1, (q) => `var d${q} = vec4<f32>();`)}
  for (var x = 0u; x < u.countX + ${reach}u; x++) {
    let sourceX = i32(x * ${x.stride}u) + u.startX;
    d0 = select(vec4<f32>(), dyAt(dyLine + min(x, u.countX - 1u) * u.vectors), x < u.countX);
${readStep("x", windows, rows, x, (a, ty, tap, steps) => `sum${ty * x.taps + tap} += ${a} * d${steps};`)}
${Array.from({ length: reach }, (_, q) => `d${reach - q} = d${reach - q - 1};`).join("\n")}
  }
}
let to = u.place + share * ${sums.length}u * u.vectors + vector;
${forRows(traits, sums.map((sum) => [sum]), (tap, [sum]) => `partial[to + ${tap} * u.vectors] = ${sum};`)}`;
}
