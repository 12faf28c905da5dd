/**
 * Weight gradient of a depthwise convolution in NHWC that reads lines of x and dy as uniforms (`line_windows.ts`), for
 * software adapters. An invocation sums the taps of a kernel row, for four channels, over its share of a dispatch's lines.
 *
 * @module
 */
import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid, WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { axisOf } from "../conv_geometry.ts";
import { type ConvAxis, forwardAxis } from "./conv_axis.ts";
import { type WeightGradOptions, weightGradPlan, type WeightGradProblem } from "./conv_weight_grad_plan.ts";
import { channelWidth } from "./depthwise.ts";
import { lineShift, lineUniforms, readRun, RUN_PIXELS, type WindowedPlan } from "./depthwise_windows.ts";
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
  const reads: LineRead[] = [
    {
      extent: g.inputSize[0],
      line: lineOf(x, g.inputSize[1]),
      stride: y.stride,
      from: y.start,
      halo: (rows - 1) * y.spacing,
    },
    { extent: g.outputSize[0], line: lineOf(dy, g.outputSize[1]), stride: 1, from: 0, halo: 0 },
  ];
  const sums = { rows: rows * columns, groups: 1, columns: g.groups };
  const bytes = partialBytes({ splits: 1, ...sums });
  const shares = Math.min(linesPerBlock(y.count, reads), Math.ceil(BUSY_LANES / (rows * g.groups / 4)));
  const blocks = lineBlocks(g.batch, y.count, reads, {
    start: (_image, _first, block) => block * shares * bytes,
    size: () => shares * bytes,
  });
  if (blocks === null || blocks.dispatches * shares * bytes > traits.maxStorageBindingBytes) return null;
  const splits = blocks.dispatches * shares;
  const plan = () =>
    weightGradPlan(
      problem,
      splits,
      (options) => blocks.blocks.map((block) => kernel(options, y, block, blocks.windows, shares)),
      { splits, ...sums },
    );
  return { plan, dispatches: blocks.dispatches, shares: blocks.windows.every((window) => window === WINDOW_BYTES) };
}

function kernel(
  { name, x, dy, partial, geometry: g, traits }: WeightGradOptions,
  y: ConvAxis,
  block: LineBlock,
  windows: readonly number[],
  shares: number,
): KernelSpec {
  const axis = forwardAxis(axisOf(g, 1));
  const vectors = g.groups / 4;
  const count = shares * y.taps * vectors;
  return defineKernel({
    name: `${name}.depthwise.${axis.taps}s${axis.stride}.${x.dtype}_${dy.dtype}.windows`,
    buffers: {
      x: windowOf(x, windows[0]!),
      dy: windowOf(dy, windows[1]!),
      partial: { ref: partial, type: "vec4<f32>", window: block.written },
    },
    uniforms: {
      count,
      vectors,
      lines: block.lines,
      shares,
      countX: axis.count,
      ...lineUniforms(y, block),
      tapsY: y.taps,
      sourceX: axis.sourceExtent,
      startX: { i32: axis.start },
      lineY: axis.sourceExtent * vectors,
      shift: { i32: lineShift(y, block, axis.sourceExtent * g.groups, x.dtype) },
      place: block.place / 16,
      shiftDy: block.shifts[1]! / bytesOfNumbers(4, dy.dtype),
    },
    slices: block.slices.map(({ reads, written }) => ({ x: reads[0]!, dy: reads[1]!, partial: written })),
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    prelude: `${windowReader("x", x.dtype, 4)}\n${windowReader("dy", dy.dtype, 4)}`,
    body: body(axis, traits),
  });
}

function body(x: ConvAxis, traits: DeviceTraits): string {
  const sums = Array.from({ length: x.taps }, (_, tap) => `sum${tap}`);
  return `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
let vector = i % u.vectors;
let ty = i / u.vectors % u.tapsY;
let share = i / u.vectors / u.tapsY;
${sums.map((sum) => `var ${sum} = vec4<f32>();`).join("\n")}
for (var y = share; y < u.lines; y += u.shares) {
  let iy = u32(i32(y * u.strideY) + u.startY + i32(ty) * u.spacingY);
  let dyLine = u.shiftDy + y * u.countX * u.vectors + vector;
  for (var x = 0u; x < u.countX; x += ${RUN_PIXELS}u) {
    let sourceX = i32(x) * ${x.stride} + u.startX;
${
    unroll(
      RUN_PIXELS,
      (p) =>
        `let d${p} = select(vec4<f32>(), dyAt(dyLine + min(x + ${p}u, u.countX - 1u) * u.vectors), x + ${p}u < u.countX);`,
    )
  }
${readRun("xAt", x, (a, pixel, tap) => `sum${tap} += ${a} * d${pixel};`)}
  }
}
let to = u.place + (share * u.tapsY + ty) * ${sums.length}u * u.vectors + vector;
${forRows(traits, sums.map((sum) => [sum]), (tap, [sum]) => `partial[to + ${tap} * u.vectors] = ${sum};`)}`;
}
