/**
 * Depthwise convolution in NHWC: every channel by itself, four channels at a time. An invocation computes `PIXELS` target
 * pixels of four channels. Forward pass and gradient to the input differ in their axes only (`conv_axis.ts`).
 *
 * @module
 */
import type { FloatType } from "../../runtime/core/dtype.ts";
import {
  type BufferRef,
  defineKernel,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { type ConvGeometry, linesOf } from "../conv_geometry.ts";
import { elementType, load, store } from "./access.ts";
import type { ConvAxis } from "./conv_axis.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { unroll } from "./unroll.ts";

const LANES = 64;
const PIXELS = 4;

/** Whether these kernels can compute it: one channel a group in and out, in multiples of four. */
export function isDepthwise(geometry: ConvGeometry): boolean {
  return geometry.inputChannels === 1 && geometry.outputChannels === 1 && geometry.groups % 4 === 0;
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
  readonly y: ConvAxis;
  readonly x: ConvAxis;
  readonly traits: DeviceTraits;
}

export function depthwise(options: DepthwiseOptions): KernelSpec {
  const { source, weight, bias, target, geometry, y, x, traits } = options;
  const vectors = geometry.groups / 4;
  const pixels = geometry.batch * y.count * x.count;
  const count = Math.ceil(pixels / PIXELS) * vectors;
  return defineKernel({
    name: `${options.name}.depthwise.${source.dtype}_${weight.dtype}_${target.dtype}`,
    buffers: {
      source: { ref: source.ref, type: elementType(source.dtype, 4), access: "read" },
      weight: { ref: weight.ref, type: elementType(weight.dtype, 4), access: "read" },
      ...(bias === null ? {} : { bias: { ref: bias.ref, type: elementType(bias.dtype, 4), access: "read" } }),
      result: { ref: target.ref, type: elementType(target.dtype, 4) },
    },
    uniforms: {
      count,
      pixels,
      vectors,
      countY: y.count,
      countX: x.count,
      sourceY: y.sourceExtent,
      sourceX: x.sourceExtent,
      startY: { i32: y.start },
      startX: { i32: x.start },
      strideY: y.stride,
      strideX: x.stride,
      spacingY: { i32: y.spacing },
      spacingX: { i32: x.spacing },
      tapsY: y.taps,
      tapsX: x.taps,
      firstTap: y.firstTap * geometry.kernelSize[1] + x.firstTap,
      tapStepY: y.tapStep * geometry.kernelSize[1],
      tapStepX: x.tapStep,
      targetY: y.targetExtent,
      targetX: x.targetExtent,
      originY: y.origin,
      originX: x.origin,
      stepY: y.step,
      stepX: x.step,
    },
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    body: body(options),
  });
}

function body({ source, weight, bias, target }: DepthwiseOptions): string {
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
var sum${p} = ${bias === null ? "vec4<f32>()" : load("bias", "vector", bias.dtype, 4)};`)
  }
for (var ty = 0u; ty < u.tapsY; ty++) {
  for (var tx = 0u; tx < u.tapsX; tx++) {
    let w = ${load("weight", "(u.firstTap + ty * u.tapStepY + tx * u.tapStepX) * u.vectors + vector", weight.dtype, 4)};
${
    unroll(PIXELS, (p) =>
      `    let iy${p} = u32(sourceY${p} + i32(ty) * u.spacingY);
    let ix${p} = u32(sourceX${p} + i32(tx) * u.spacingX);
    let inside${p} = iy${p} < u.sourceY && ix${p} < u.sourceX;
    let at${p} = select(0u, ((image${p} * u.sourceY + iy${p}) * u.sourceX + ix${p}) * u.vectors, inside${p}) + vector;
    sum${p} += select(vec4<f32>(), ${load("source", `at${p}`, source.dtype, 4)}, inside${p}) * w;`)
  }
  }
}
${
    unroll(PIXELS, (p) =>
      `if (first + ${p}u < u.pixels) {
  let row = (image${p} * u.targetY + y${p} * u.stepY + u.originY) * u.targetX + x${p} * u.stepX + u.originX;
  ${store("result", "row * u.vectors + vector", `sum${p}`, target.dtype, 4)}
}`)
  }`;
}

/** Splits of the gradient to the weights, a function of the shape alone. */
export function depthwiseSplits(geometry: ConvGeometry): number {
  const taps = geometry.kernelSize[0] * geometry.kernelSize[1];
  return Math.max(1, Math.min(linesOf(geometry), Math.ceil(16384 / (taps * geometry.groups / 4)), 256));
}

/**
 * Partial sums of the gradient to the weights: `partial[split][tap][channel] = sum of x[pixel moved by tap][channel]
 * dy[pixel][channel]` over the split's lines of the output.
 */
export function depthwiseWeightGrad(
  { x, dy, partial, geometry: g, traits }: {
    readonly x: FloatBuffer;
    readonly dy: FloatBuffer;
    readonly partial: BufferRef;
    readonly geometry: ConvGeometry;
    readonly traits: DeviceTraits;
  },
): KernelSpec {
  const splits = depthwiseSplits(g);
  const vectors = g.groups / 4;
  const taps = g.kernelSize[0] * g.kernelSize[1];
  return defineKernel({
    name: `conv2d.weight_grad.depthwise.${x.dtype}_${dy.dtype}`,
    buffers: {
      x: { ref: x.ref, type: elementType(x.dtype, 4), access: "read" },
      dy: { ref: dy.ref, type: elementType(dy.dtype, 4), access: "read" },
      partial: { ref: partial, type: "vec4<f32>" },
    },
    uniforms: {
      count: splits * taps * vectors,
      vectors,
      taps,
      splits,
      lines: linesOf(g),
      kernelX: g.kernelSize[1],
      inputY: g.inputSize[0],
      inputX: g.inputSize[1],
      outputY: g.outputSize[0],
      outputX: g.outputSize[1],
      strideY: g.stride[0],
      strideX: g.stride[1],
      dilationY: g.dilation[0],
      dilationX: g.dilation[1],
      paddingY: g.padding[0],
      paddingX: g.padding[1],
    },
    workgroupSize: [LANES],
    grid: linearGrid(splits * taps * vectors, LANES, traits.maxWorkgroupsPerDimension),
    body: weightGradBody(x.dtype, dy.dtype),
  });
}

function weightGradBody(xType: FloatType, dyType: FloatType): string {
  return `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
let vector = i % u.vectors;
let tap = (i / u.vectors) % u.taps;
let moveY = i32((tap / u.kernelX) * u.dilationY) - i32(u.paddingY);
let moveX = i32((tap % u.kernelX) * u.dilationX) - i32(u.paddingX);
let firstX = u32(max(0, -moveX) + i32(u.strideX) - 1) / u.strideX;
let endX = min(u.outputX, u32(max(0, i32(u.inputX) - moveX) + i32(u.strideX) - 1) / u.strideX);
var sum = vec4<f32>();
for (var line = i / (u.vectors * u.taps); line < u.lines; line += u.splits) {
  let y = u32(i32((line % u.outputY) * u.strideY) + moveY);
  if (y >= u.inputY) { continue; }
  let xLine = i32(((line / u.outputY) * u.inputY + y) * u.inputX) + moveX;
  for (var ox = firstX; ox < endX; ox++) {
    sum += ${load("x", "u32(xLine + i32(ox * u.strideX)) * u.vectors + vector", xType, 4)} *
      ${load("dy", "(line * u.outputX + ox) * u.vectors + vector", dyType, 4)};
  }
}
partial[i] = sum;`;
}
