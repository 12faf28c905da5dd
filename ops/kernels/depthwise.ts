/**
 * Depthwise convolution in NHWC, with one input channel and `multiplier` output channels per group. An invocation
 * computes `PIXELS` target pixels of four channels, or of one channel if there is a multiplier or an odd number of
 * channels. The forward pass and the input gradient differ in their axes (`conv_axis.ts`) and in the channels that a
 * target sums over.
 *
 * @module
 */
import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { ConvGeometry } from "../conv_geometry.ts";
import { elementType, load, store, vectorWidth } from "./access.ts";
import type { ConvAxis } from "./conv_axis.ts";
import { convBuffers, extentUniforms, moveUniforms, placeUniforms, tapUniforms, targetPixel } from "./conv_kernel.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { unroll } from "./unroll.ts";

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
