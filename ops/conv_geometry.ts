/**
 * Shapes of two-dimensional convolutions, shared by the forward op and its gradients.
 *
 * @module
 */
import { isFloat } from "../runtime/core/dtype.ts";
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, type Shape } from "../runtime/core/shape.ts";
import { formatType, isImages, type TensorType } from "../runtime/graph/types.ts";

/** Height and width. */
export type Pair = readonly [number, number];

export interface ConvAttrs {
  readonly stride: Pair;
  /** Zeros on each side. */
  readonly padding: Pair;
  readonly dilation: Pair;
  /** Number of groups of channels; an output channel sees only the input channels of its group. */
  readonly groups: number;
}

/** Sizes that the kernels of a convolution need. Channels are per group. */
export interface ConvGeometry extends ConvAttrs {
  readonly batch: number;
  readonly inputSize: Pair;
  readonly outputSize: Pair;
  readonly kernelSize: Pair;
  readonly inputChannels: number;
  readonly outputChannels: number;
}

/** Returns the geometry of `x` `[n, c, h, w]` convolved with `weight` `[out, c / groups, kh, kw]`. */
export function convGeometry(x: Shape, weight: Shape, attrs: ConvAttrs): ConvGeometry {
  const [batch, , h, w] = x as [number, number, number, number];
  const [out, inputChannels, kh, kw] = weight as [number, number, number, number];
  return {
    ...attrs,
    batch,
    inputSize: [h, w],
    outputSize: [outputExtent(h, kh, 0, attrs), outputExtent(w, kw, 1, attrs)],
    kernelSize: [kh, kw],
    inputChannels,
    outputChannels: out / attrs.groups,
  };
}

/**
 * Returns the output's shape `[n, out, oh, ow]`, `oh = floor((h + 2 padding - dilation (kh - 1) - 1) / stride) + 1`.
 *
 * @throws {InputError} if the input and the weight do not match
 */
export function convOutputShape(x: TensorType, weight: TensorType, attrs: ConvAttrs): Shape {
  if (!isImages(x) || !isFloat(x.dtype)) {
    throw new InputError(
      `Expected float images [n, channels, height, width], got ${
        formatType(x)
      }; reshape the input or use a linear layer`,
    );
  }
  if (weight.shape.length !== 4) {
    throw new InputError(`Expected a weight [out, in / groups, kh, kw], got ${formatShape(weight.shape)}`);
  }
  const [n, channels, h, w] = x.shape as [number, number, number, number];
  const [out, perGroup, kh, kw] = weight.shape as [number, number, number, number];
  const { groups } = attrs;
  if (channels % groups !== 0 || out % groups !== 0) {
    throw new InputError(
      `Expected groups that divide ${channels} input and ${out} output channels, got ${groups} groups ` +
        `for input ${formatShape(x.shape)}; choose a common divisor of both`,
    );
  }
  if (channels !== perGroup * groups) {
    throw new InputError(
      `Expected ${perGroup * groups} input channels (weight ${formatShape(weight.shape)}, ${groups} group` +
        `${groups === 1 ? "" : "s"}), got ${channels} from input ${formatShape(x.shape)}; ` +
        `set the layer's input channels to ${channels}`,
    );
  }
  const size: Pair = [outputExtent(h, kh, 0, attrs), outputExtent(w, kw, 1, attrs)];
  if (size[0] < 1 || size[1] < 1) {
    const { padding, dilation } = attrs;
    throw new InputError(
      `Expected a kernel that fits into the padded input ${h + 2 * padding[0]}x${w + 2 * padding[1]}, ` +
        `got ${dilation[0] * (kh - 1) + 1}x${dilation[1] * (kw - 1) + 1} ` +
        `(weight ${formatShape(weight.shape)}, dilation ${formatShape(dilation)}) for input ${formatShape(x.shape)}; ` +
        `raise padding or use a smaller kernel`,
    );
  }
  return [n, out, ...size];
}

/** One axis of a convolution: 0 is height, 1 is width. */
export interface AxisGeometry {
  readonly input: number;
  readonly output: number;
  readonly kernel: number;
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
}

export function axisOf(geometry: ConvGeometry, axis: 0 | 1): AxisGeometry {
  return {
    input: geometry.inputSize[axis],
    output: geometry.outputSize[axis],
    kernel: geometry.kernelSize[axis],
    stride: geometry.stride[axis],
    padding: geometry.padding[axis],
    dilation: geometry.dilation[axis],
  };
}

/** Returns the number of lines in the output, over all images. */
export function linesOf(geometry: ConvGeometry): number {
  return geometry.batch * geometry.outputSize[0];
}

/**
 * Returns the FLOPs of the direct convolution, which each of its gradients also takes. A multiply-add counts as two.
 */
export function convFlops(g: ConvGeometry): number {
  return 2 * g.batch * g.outputSize[0] * g.outputSize[1] * g.groups * g.outputChannels * g.inputChannels *
    g.kernelSize[0] * g.kernelSize[1];
}

function outputExtent(extent: number, kernel: number, axis: 0 | 1, attrs: ConvAttrs): number {
  const room = extent + 2 * attrs.padding[axis] - attrs.dilation[axis] * (kernel - 1) - 1;
  return room < 0 ? 0 : Math.floor(room / attrs.stride[axis]) + 1;
}
