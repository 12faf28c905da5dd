/**
 * Tensors of the same elements in the same logical order, lying in memory differently.
 *
 * @module
 */
import { sizeOf } from "../../runtime/core/shape.ts";
import { defineKernel, type KernelPlan, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { formatType, type TensorType } from "../../runtime/graph/types.ts";

const WORKGROUP = 64;
/** Pixels that a lane of {@linkcode byChannels} takes. */
const RUN = 64;

/**
 * How memory order differs from logical order: `[n, channels, pixels]` stored as n, pixels, channels. One channel or one
 * pixel is no difference.
 */
interface Interleaving {
  readonly channels: number;
  readonly pixels: number;
}

function interleaving(type: TensorType): Interleaving {
  if (type.layout === "row" || type.layout === "nchw") return { channels: 1, pixels: 1 };
  const [, channels, height, width] = type.shape;
  if (type.layout !== "nhwc") throw new Error(`Cannot reshape ${formatType(type)} of layout ${type.layout}`);
  const pixels = height! * width!;
  return channels === 1 || pixels === 1 ? { channels: 1, pixels: 1 } : { channels: channels!, pixels };
}

/** Whether two types of the same elements have them in the same memory order. */
export function sameOrder(a: TensorType, b: TensorType): boolean {
  const [x, y] = [interleaving(a), interleaving(b)];
  return x.channels === y.channels && x.pixels === y.pixels;
}

/** Kernels that copy `input` to `output` in logical order, the usual one first. */
export function relayouts(input: TensorType, output: TensorType, traits: DeviceTraits): KernelPlan[] {
  const [from, to] = [interleaving(input), interleaving(output)];
  const plans = [byElements(input, output, from, to, traits)];
  const isPlain = ({ channels, pixels }: Interleaving) => channels === 1 && pixels === 1;
  if (isPlain(from) !== isPlain(to)) plans.push(byChannels(input, output, from, to, traits));
  return traits.class === "cpu" ? plans.reverse() : plans;
}

/** Each lane writes one element, next to that of the lane before. */
function byElements(
  input: TensorType,
  output: TensorType,
  from: Interleaving,
  to: Interleaving,
  traits: DeviceTraits,
): KernelPlan {
  const n = sizeOf(output.shape);
  const name = `relayout.${output.dtype}`;
  const kernel = defineKernel({
    name,
    buffers: { x: { ref: { input: 0 }, type: input.dtype }, y: { ref: { output: 0 }, type: output.dtype } },
    uniforms: {
      n,
      fromChannels: from.channels,
      fromPixels: from.pixels,
      toChannels: to.channels,
      toPixels: to.pixels,
    },
    workgroupSize: [WORKGROUP],
    body: `  let i = ${LINEAR_INDEX(WORKGROUP)};
  if (i >= u.n) { return; }
  // memory order of y -> logical order
  let place = i / u.toChannels;
  let logical = (place / u.toPixels * u.toChannels + i % u.toChannels) * u.toPixels + place % u.toPixels;
  // logical order -> memory order of x
  let row = logical / u.fromPixels;
  y[i] = x[(row / u.fromChannels * u.fromPixels + logical % u.fromPixels) * u.fromChannels + row % u.fromChannels];`,
    grid: linearGrid(n, WORKGROUP, traits.maxWorkgroupsPerDimension),
  });
  return { name, kernels: [kernel], workspace: [] };
}

/**
 * Between planes and pixels of channels: each lane takes one channel of a run of pixels, neighbouring lanes neighbouring
 * channels. Where lanes share an instruction's divisions, these are what {@linkcode byElements} takes its time for.
 */
function byChannels(
  input: TensorType,
  output: TensorType,
  from: Interleaving,
  to: Interleaving,
  traits: DeviceTraits,
): KernelPlan {
  const toPlanes = from.pixels > 1;
  const { channels, pixels } = toPlanes ? from : to;
  const runs = Math.ceil(pixels / RUN);
  const lanes = sizeOf(output.shape) / pixels * runs;
  const name = `relayout.channels.${output.dtype}`;
  const [planes, interleaved] = ["plane + p", "(image * u.pixels + p) * u.channels + channel"];
  const kernel = defineKernel({
    name,
    buffers: { x: { ref: { input: 0 }, type: input.dtype }, y: { ref: { output: 0 }, type: output.dtype } },
    uniforms: { lanes, channels, pixels, runs },
    workgroupSize: [WORKGROUP],
    body: `  let i = ${LINEAR_INDEX(WORKGROUP)};
  if (i >= u.lanes) { return; }
  let channel = i % u.channels;
  let rest = i / u.channels;
  let image = rest / u.runs;
  let begin = rest % u.runs * ${RUN}u;
  let plane = (image * u.channels + channel) * u.pixels;
  for (var p = begin; p < min(begin + ${RUN}u, u.pixels); p++) {
    y[${toPlanes ? planes : interleaved}] = x[${toPlanes ? interleaved : planes}];
  }`,
    grid: linearGrid(lanes, WORKGROUP, traits.maxWorkgroupsPerDimension),
  });
  return { name, kernels: [kernel], workspace: [] };
}
