/**
 * Copies between tensors with the same elements in the same logical order and different orders in memory.
 *
 * @module
 */
import { physicalOrder } from "../../runtime/core/layout.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { defineKernel, type KernelPlan, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { formatType, type TensorType } from "../../runtime/graph/types.ts";

const WORKGROUP = 64;
/** Pixels per lane of {@linkcode byChannels}. */
const RUN = 64;

/**
 * Difference between memory order and logical order: `[n, channels, pixels]` stored as n, pixels, channels. With one
 * channel or one pixel, the orders are the same.
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

/** Returns true if two types with the same elements have the same order in memory. */
export function sameOrder(a: TensorType, b: TensorType): boolean {
  if (longOrder(a) === longOrder(b)) return true;
  const [x, y] = [interleaving(a), interleaving(b)];
  return x.channels === y.channels && x.pixels === y.pixels;
}

/** Returns the sizes other than 1, in logical order, and their order in memory. */
function longOrder({ shape, layout }: TensorType): string {
  const long = shape.flatMap((n, d) => n === 1 ? [] : [d]);
  const order = physicalOrder(shape, layout).filter((d) => shape[d] !== 1).map((d) => long.indexOf(d));
  return `${long.map((d) => shape[d])} ${order}`;
}

/** Returns kernels that copy `input` to `output` in logical order, the default first. */
export function relayouts(input: TensorType, output: TensorType, traits: DeviceTraits): KernelPlan[] {
  const [from, to] = [interleaving(input), interleaving(output)];
  const plans = [byElements(input, output, from, to, traits)];
  const isPlain = ({ channels, pixels }: Interleaving) => channels === 1 && pixels === 1;
  if (isPlain(from) !== isPlain(to)) plans.push(byChannels(input, output, from, to, traits));
  return traits.class === "cpu" ? plans.reverse() : plans;
}

/** Returns a kernel in which neighbouring lanes write neighbouring elements, one each. */
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
  // Memory order of y -> logical order
  let place = i / u.toChannels;
  let logical = (place / u.toPixels * u.toChannels + i % u.toChannels) * u.toPixels + place % u.toPixels;
  // Logical order -> memory order of x
  let row = logical / u.fromPixels;
  y[i] = x[(row / u.fromChannels * u.fromPixels + logical % u.fromPixels) * u.fromChannels + row % u.fromChannels];`,
    grid: linearGrid(n, WORKGROUP, traits.maxWorkgroupsPerDimension),
  });
  return { name, kernels: [kernel], workspace: [] };
}

/**
 * Returns a kernel that converts between NCHW and NHWC. Each lane takes one channel of a run of pixels, and
 * neighbouring lanes take neighbouring channels. This saves the divisions that dominate {@linkcode byElements} on
 * adapters that run lanes as one vector.
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
