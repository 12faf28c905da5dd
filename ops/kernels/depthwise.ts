/**
 * Depthwise convolution in NHWC, with one input channel and `multiplier` output channels per group. An invocation
 * computes `PIXELS` target pixels of four channels, or of one channel if there is a multiplier or an odd number of
 * channels. The forward pass and the input gradient differ in their axes (`conv_axis.ts`) and in the channels that a
 * target sums over.
 *
 * @module
 */

import {
  defineKernel,
  type KernelPlan,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { type ConvGeometry, linesOf } from "../conv_geometry.ts";
import { elementType, type FloatBuffer, load, store, vectorWidth } from "./access.ts";
import type { ConvAxis } from "./conv_axis.ts";
import { convBuffers, extentUniforms, moveUniforms, placeUniforms, tapUniforms, targetPixel } from "./conv_kernel.ts";
import { unroll } from "./unroll.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import {
  checkedShares,
  imageUniforms,
  leastShares,
  weightGradBuffers,
  type WeightGradOptions,
  weightGradPlan,
  type WeightGradProblem,
} from "./conv_weight_grad_plan.ts";

const LANES = 64;
const PIXELS = 4;

/** Returns true for a convolution with several groups of one input channel each. */
export function isDepthwise(geometry: ConvGeometry): boolean {
  return geometry.inputChannels === 1 && geometry.groups > 1;
}

/** Returns the number of channels per invocation. */
export function channelWidth(geometry: ConvGeometry): 1 | 4 {
  return geometry.outputChannels === 1 ? vectorWidth(geometry.groups) : 1;
}

export interface DepthwiseOptions {
  readonly name: string;
  /** `[batch][y][x][channels]` */
  readonly source: FloatBuffer;
  /** `[tap][channels]` */
  readonly weight: FloatBuffer;
  /** `[channels]` */
  readonly bias: FloatBuffer | null;
  /** `[batch][y][x][channels]` */
  readonly target: FloatBuffer;
  readonly geometry: ConvGeometry;
  readonly direction: "forward" | "input_grad";
  readonly y: ConvAxis;
  readonly x: ConvAxis;
  readonly traits: DeviceTraits;
}

export function depthwise(options: DepthwiseOptions): KernelSpec {
  const { source, weight, target, geometry, y, x, traits } = options;
  const width = channelWidth(geometry);
  const multiplier = geometry.outputChannels;
  const [inputs, outputs] = [geometry.groups / width, geometry.groups * multiplier / width];
  const forward = options.direction === "forward";
  const vectors = forward ? outputs : inputs;
  const pixels = geometry.batch * y.count * x.count;
  const count = Math.ceil(pixels / PIXELS) * vectors;
  return defineKernel({
    name: `${options.name}.depthwise.${source.dtype}_${weight.dtype}_${target.dtype}${width === 4 ? "" : ".odd"}`,
    buffers: convBuffers(options, { source: width, weight: width, bias: width, target: width }),
    uniforms: {
      count,
      pixels,
      vectors,
      sourceRow: forward ? inputs : outputs,
      weightRow: outputs,
      // A target channel t sums over the source channels t terms / perSource + m, m < terms
      terms: forward ? 1 : multiplier,
      perSource: forward ? multiplier : 1,
      ...extentUniforms(y, x),
      ...moveUniforms(y, x),
      tapsY: y.taps,
      tapsX: x.taps,
      ...tapUniforms(y, x, geometry.kernelSize[1]),
      ...placeUniforms(y, x),
    },
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    body: () => body(options, width),
  });
}

function body({ source, weight, bias, target }: DepthwiseOptions, width: 1 | 4): string {
  const zero = `${elementType("f32", width)}()`;
  return `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
let vector = i % u.vectors;
let first = (i / u.vectors) * ${PIXELS}u;
${
    unroll(PIXELS, (p) =>
      `let pixel${p} = min(first + ${p}u, u.pixels - 1u);
let x${p} = pixel${p} % u.countX;
let y${p} = (pixel${p} / u.countX) % u.countY;
let image${p} = pixel${p} / (u.countX * u.countY);
let sourceX${p} = i32(x${p} * u.strideX) + u.startX;
let sourceY${p} = i32(y${p} * u.strideY) + u.startY;
var sum${p} = ${bias === null ? zero : load("bias", "vector", bias.dtype, width)};`)
  }
for (var ty = 0u; ty < u.tapsY; ty++) {
  for (var tx = 0u; tx < u.tapsX; tx++) {
    let tap = (u.firstTap + ty * u.tapStepY + tx * u.tapStepX) * u.weightRow + vector * u.terms;
${
    unroll(PIXELS, (p) =>
      `    let iy${p} = u32(sourceY${p} + i32(ty) * u.spacingY);
    let ix${p} = u32(sourceX${p} + i32(tx) * u.spacingX);
    let inside${p} = iy${p} < u.sourceY && ix${p} < u.sourceX;
    let at${p} = select(0u, ((image${p} * u.sourceY + iy${p}) * u.sourceX + ix${p}) * u.sourceRow, inside${p}) +
      vector * u.terms / u.perSource;`)
  }
    for (var m = 0u; m < u.terms; m++) {
      let w = ${load("weight", "tap + m", weight.dtype, width)};
${
    unroll(PIXELS, (p) =>
      `      sum${p} += select(${zero}, ${load("source", `at${p} + m`, source.dtype, width)}, inside${p}) * w;`)
  }
    }
  }
}
${
    unroll(PIXELS, (p) =>
      `if (first + ${p}u < u.pixels) {
  let row = ${targetPixel(p)};
  ${store("result", "row * u.vectors + vector", `sum${p}`, target, width)}
}`)
  }`;
}

/**
 * Returns the weight gradient of a depthwise convolution in NHWC. An invocation sums one tap of four channels, or of one
 * channel, over its share of the output's lines,
 *
 *     partial[split][tap][channel] = sum of x[pixel moved by tap][channel / multiplier] dy[pixel][channel]
 *
 * with channels padded to a multiple of four.
 */
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
