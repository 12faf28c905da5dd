/**
 * Shared setup for the kernel families of a convolution: packs the weights first if their order or the number of
 * channels requires it, and writes results with an odd number of channels through a padded copy.
 *
 * @module
 */
import { defineKernel, type KernelPlan, type KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { axisOf, type ConvGeometry } from "../conv_geometry.ts";
import { elementType, type FloatBuffer } from "./access.ts";
import { type ConvAxis, forwardAxis, inputGradientAxes } from "./conv_axis.ts";
import type { ConvKernelOptions } from "./conv_kernel.ts";
import { vectorLoop } from "./elementwise.ts";
import { packedBytes, packWeights } from "./pack_weights.ts";
import { partialBytes, reducePartials } from "./reduce_partials.ts";

/** A convolution from the input's channels to the output's, or its input gradient. */
export interface ConvProblem {
  readonly name: string;
  readonly source: FloatBuffer;
  /** Weights of the convolution as stored. */
  readonly weight: FloatBuffer;
  readonly bias: FloatBuffer | null;
  readonly target: FloatBuffer;
  readonly geometry: ConvGeometry;
  readonly direction: "forward" | "input_grad";
  /** True if source and target are NCHW, false if they are NHWC. */
  readonly planes: boolean;
  readonly traits: DeviceTraits;
}

/** Builder of a family's kernel for one dispatch, with the tile already chosen. */
export type ConvKernel = (options: ConvKernelOptions) => KernelSpec;

/**
 * Returns the plan of a kernel family.
 *
 * @param readsStored true if the family's input gradient reads the weights as stored, `[tap][target
 * channel][groups][source channel]`, instead of packed
 * @param writesUnpadded true if the kernel writes target channels whose number is no multiple of four to the target
 */
export function convPlan(
  options: ConvProblem,
  kernel: ConvKernel,
  readsStored = false,
  writesUnpadded = false,
): KernelPlan {
  const { geometry, weight, target, traits } = options;
  const { y, x } = convAxes(options);
  const transposed = options.direction === "input_grad";
  const { inputChannels, outputChannels, groups } = geometry;
  const [sourceChannels, targetChannels] = transposed
    ? [outputChannels, inputChannels]
    : [inputChannels, outputChannels];
  const aligned = targetChannels % 4 === 0;
  const packs = transposed ? !readsStored : !aligned;
  const direct = aligned || options.planes || writesUnpadded; // planes are written one number at a time
  const workspace: number[] = [];
  const packed: FloatBuffer = { ref: { workspace: 0 }, dtype: weight.dtype };
  if (packs) workspace.push(packedBytes(weight, geometry, transposed));
  const rows = geometry.batch * y[0]!.targetExtent * x[0]!.targetExtent;
  const shape = { splits: 1, rows, groups, columns: targetChannels };
  const padded: FloatBuffer = { ref: { workspace: workspace.length }, dtype: "f32" };
  if (!direct) workspace.push(partialBytes(shape));
  const written = direct ? target : padded;
  const { pairs, clears } = convDispatches(options);
  const channels = direct ? targetChannels : Math.ceil(targetChannels / 4) * 4;
  const kernels = [
    ...(clears ? [clearTarget(written, rows * groups * channels, traits)] : []),
    ...pairs.map(({ y, x }) =>
      kernel({
        name: options.name,
        source: options.source,
        weight: packs ? packed : weight,
        bias: options.bias,
        target: written,
        planes: options.planes,
        batch: geometry.batch,
        groups,
        sourceChannels,
        targetChannels,
        y,
        x,
        kernelWidth: geometry.kernelSize[1],
        traits,
      })
    ),
  ];
  return {
    name: kernels.at(-1)!.name,
    kernels: [
      ...(packs ? [packWeights(weight, packed.ref, geometry, transposed, traits)] : []),
      ...kernels,
      ...(direct ? [] : [reducePartials({ ...shape, partial: padded.ref, target, traits })]),
    ],
    workspace,
  };
}

/** Writes zeros to `count` numbers, a multiple of four. */
function clearTarget({ ref, dtype }: FloatBuffer, count: number, traits: DeviceTraits): KernelSpec {
  const type = elementType(dtype, 4);
  return defineKernel({
    name: `conv2d.zeros.${dtype}`,
    buffers: { zeros: { ref, type } },
    ...vectorLoop(Math.ceil(count / 4), traits, `zeros[i] = ${type}();`),
  });
}

/** A dispatch of a convolution: the pixels with these remainders. */
interface AxisPair {
  readonly y: ConvAxis;
  readonly x: ConvAxis;
}

/** Returns the dispatches of the problem. `clears`: no tap sees the other pixels, so that zeros are written first. */
function convDispatches(problem: ConvProblem): { pairs: readonly AxisPair[]; clears: boolean } {
  const { y, x } = convAxes(problem);
  const pairs = y.flatMap((y) => x.map((x) => ({ y, x })));
  const seen = pairs.filter(({ y, x }) => y.taps > 0 && x.taps > 0);
  const clears = seen.length > 0 && seen.length < pairs.length;
  return { pairs: clears ? seen : pairs, clears };
}

/** Returns the axes of the problem. */
export function convAxes({ geometry, direction }: ConvProblem): { y: readonly ConvAxis[]; x: readonly ConvAxis[] } {
  const axes = (i: 0 | 1) => {
    const axis = axisOf(geometry, i);
    return direction === "forward" ? [forwardAxis(axis)] : inputGradientAxes(axis);
  };
  return { y: axes(0), x: axes(1) };
}
