/**
 * Weight gradient of a depthwise convolution in NHWC. An invocation sums one tap of four channels, or of one channel,
 * over its share of the output's lines,
 *
 *     partial[split][tap][channel] = sum of x[pixel moved by tap][channel / multiplier] dy[pixel][channel]
 *
 * with channels padded to a multiple of four.
 *
 * @module
 */
import type { FloatType } from "../../runtime/core/dtype.ts";
import {
  defineKernel,
  type KernelPlan,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import { type ConvGeometry, linesOf } from "../conv_geometry.ts";
import { elementType, load } from "./access.ts";
import {
  checkedShares,
  imageUniforms,
  leastShares,
  weightGradBuffers,
  type WeightGradOptions,
  weightGradPlan,
  type WeightGradProblem,
} from "./conv_weight_grad_plan.ts";
import { channelWidth } from "./depthwise.ts";

const LANES = 64;

export function depthwiseWeightGradPlan(problem: WeightGradProblem): KernelPlan {
  const { geometry: g } = problem;
  const splits = checkedShares(Math.min(linesOf(g), Math.max(splitsOf(g), leastShares(g, problem.traits))), problem);
  const [rows, columns] = [g.kernelSize[0] * g.kernelSize[1], g.groups * g.outputChannels];
  return weightGradPlan(problem, splits, kernel, { splits, rows, groups: 1, columns });
}

/** Returns the number of shares of the sum, which depends on the shape only. */
function splitsOf(geometry: ConvGeometry): number {
  const invocations = geometry.kernelSize[0] * geometry.kernelSize[1] * geometry.groups * geometry.outputChannels / 4;
  return Math.max(1, Math.min(linesOf(geometry), Math.ceil(16384 / invocations), 256));
}

function kernel(options: WeightGradOptions): KernelSpec {
  const { name, x, dy, geometry: g, splits, traits } = options;
  const width = channelWidth(g);
  const channels = g.groups * g.outputChannels;
  const vectors = Math.ceil(channels / 4) * 4 / width;
  const taps = g.kernelSize[0] * g.kernelSize[1];
  return defineKernel({
    name: `${name}.depthwise.${x.dtype}_${dy.dtype}${width === 4 ? "" : ".odd"}`,
    buffers: weightGradBuffers(options, { x: width, dy: width, partial: width }),
    uniforms: {
      count: splits * taps * vectors,
      vectors,
      channels: channels / width,
      multiplier: g.outputChannels,
      inputs: g.groups / width,
      taps,
      splits,
      lines: linesOf(g),
      kernelX: g.kernelSize[1],
      ...imageUniforms(g),
      strideY: g.stride[0],
      strideX: g.stride[1],
      dilationY: g.dilation[0],
      dilationX: g.dilation[1],
      paddingY: g.padding[0],
      paddingX: g.padding[1],
    },
    workgroupSize: [LANES],
    grid: linearGrid(splits * taps * vectors, LANES, traits.maxWorkgroupsPerDimension),
    body: () => weightGradBody(x.dtype, dy.dtype, width),
  });
}

function weightGradBody(xType: FloatType, dyType: FloatType, width: 1 | 4): string {
  return `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
let vector = min(i % u.vectors, u.channels - 1u);
let tap = (i / u.vectors) % u.taps;
let moveY = i32((tap / u.kernelX) * u.dilationY) - i32(u.paddingY);
let moveX = i32((tap % u.kernelX) * u.dilationX) - i32(u.paddingX);
let firstX = u32(max(0, -moveX) + i32(u.strideX) - 1) / u.strideX;
let endX = min(u.outputX, u32(max(0, i32(u.inputX) - moveX) + i32(u.strideX) - 1) / u.strideX);
var sum = ${elementType("f32", width)}();
for (var line = i / (u.vectors * u.taps); line < u.lines; line += u.splits) {
  let y = u32(i32((line % u.outputY) * u.strideY) + moveY);
  if (y >= u.inputY) { continue; }
  let xLine = i32(((line / u.outputY) * u.inputY + y) * u.inputX) + moveX;
  for (var ox = firstX; ox < endX; ox++) {
    sum += ${load("x", "u32(xLine + i32(ox * u.strideX)) * u.inputs + vector / u.multiplier", xType, width)} *
      ${load("dy", "(line * u.outputX + ox) * u.channels + vector", dyType, width)};
  }
}
partial[i] = sum;`;
}
