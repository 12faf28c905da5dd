/**
 * Convolution of few channels with a horizontal stride of 2, such as a network's first, computed as one with a stride of 1:
 * two neighbouring pixels of a line count as one pixel with twice the channels. Kernels that compute runs of pixels then
 * read each source pixel once for all taps.
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
} from "../../runtime/device/kernel.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import type { ConvGeometry } from "../conv_geometry.ts";
import { elementType, load } from "./access.ts";
import type { ConvProblem } from "./conv_plan.ts";
import { windowedRunsPlan } from "./conv_windows.ts";

const LANES = 64;
/** Channels from which kernels that read four at a time suit better. */
const MANY_CHANNELS = 4;

/** Returns the plan, which reads windows, or null if they do not fit or the shape is unsuitable. */
export function windowedPairsPlan(problem: ConvProblem): (() => KernelPlan) | null {
  const { geometry, direction, planes, name } = problem;
  const { stride, dilation, inputSize, inputChannels, groups } = geometry;
  if (direction !== "forward" || planes || groups > 1 || inputChannels >= MANY_CHANNELS) return null;
  if (stride[1] !== 2 || dilation[1] !== 1 || inputSize[1] % 2 !== 0) return null;
  const paired = pairedGeometry(geometry);
  const weight = { workspace: 1 };
  const plan = windowedRunsPlan(
    { ...problem, name: `${name}.pairs`, geometry: paired, weight: { ref: weight, dtype: "f32" } },
    2,
  );
  return plan && (() => {
    const { kernels, workspace, ...rest } = plan();
    const bytes = 4 * sizeOf(paired.kernelSize) * paired.inputChannels * paired.outputChannels;
    return { ...rest, kernels: [pairWeights(problem, paired, weight), ...kernels], workspace: [...workspace, bytes] };
  });
}

/** Returns the convolution of pairs. An odd padding cuts the first pair in half: its first tap sees a weight of zero. */
function pairedGeometry(
  { padding, kernelSize, stride, inputSize, inputChannels, ...rest }: ConvGeometry,
): ConvGeometry {
  return {
    ...rest,
    inputSize: [inputSize[0], inputSize[1] / 2],
    inputChannels: 2 * inputChannels,
    kernelSize: [kernelSize[0], Math.ceil((kernelSize[1] + padding[1] % 2) / 2)],
    stride: [stride[0], 1],
    padding: [padding[0], Math.ceil(padding[1] / 2)],
  };
}

/** Copies weights `[y][x][in][out]` to `[y][pair][x of the pair][in][out]`, with zeros where a pair has no tap. */
function pairWeights({ weight, geometry, traits }: ConvProblem, paired: ConvGeometry, target: BufferRef): KernelSpec {
  const { kernelSize, inputChannels, outputChannels, padding } = geometry;
  const row = inputChannels * outputChannels;
  const taps = 2 * paired.kernelSize[1];
  const count = kernelSize[0] * taps * row;
  return defineKernel({
    name: `conv2d.pair_weights.${weight.dtype}`,
    buffers: {
      weight: { ref: weight.ref, type: elementType(weight.dtype, 1), access: "read" },
      paired: { ref: target, type: "f32" },
    },
    uniforms: { count, row, taps, tapsX: kernelSize[1], skipped: padding[1] % 2 },
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    body: `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
let tap = i / u.row % u.taps - u.skipped;
let inside = tap < u.tapsX; // a skipped tap wraps around
let at = (i / u.row / u.taps * u.tapsX + tap) * u.row + i % u.row;
paired[i] = select(0.0, ${load("weight", "select(0u, at, inside)", weight.dtype, 1)}, inside);`,
  });
}
