/**
 * A convolution along one spatial axis, in a form that the forward pass and the input gradient share:
 *
 *     target[origin + j step] = sum over t < taps of weight[firstTap + t tapStep] source[start + j stride + t spacing]
 *
 * for j < count, with source pixels outside the image counted as zero.
 *
 * @module
 */
import type { AxisGeometry } from "../conv_geometry.ts";

export interface ConvAxis {
  readonly sourceExtent: number;
  readonly targetExtent: number;
  readonly origin: number;
  readonly step: number;
  readonly count: number;
  readonly start: number;
  readonly stride: number;
  readonly spacing: number;
  readonly taps: number;
  readonly firstTap: number;
  readonly tapStep: number;
}

/** Returns the axis of the forward pass, `y[j] = sum of w[t] x[j stride - padding + t dilation]`. */
export function forwardAxis(axis: AxisGeometry): ConvAxis {
  return {
    sourceExtent: axis.input,
    targetExtent: axis.output,
    origin: 0,
    step: 1,
    count: axis.output,
    start: -axis.padding,
    stride: axis.stride,
    spacing: axis.dilation,
    taps: axis.kernel,
    firstTap: 0,
    tapStep: 1,
  };
}

/**
 * Returns the axes of the input gradient, `dx[i] = sum of w[k] dy[o]` over all k, o with `i = o stride - padding + k
 * dilation`. Pixels i with the same remainder modulo the stride see the same taps k, so each remainder has its own axis
 * and no tap is evaluated in vain.
 */
export function inputGradientAxes(axis: AxisGeometry): ConvAxis[] {
  const { stride, padding, dilation, kernel } = axis;
  const tapStep = stride / greatestCommonDivisor(stride, dilation);
  return Array.from({ length: Math.min(stride, axis.input) }, (_, origin): ConvAxis => {
    let firstTap = 0;
    while (firstTap < tapStep && (origin + padding - firstTap * dilation) % stride !== 0) firstTap++;
    const taps = firstTap < tapStep ? Math.max(0, Math.ceil((kernel - firstTap) / tapStep)) : 0;
    return {
      sourceExtent: axis.output,
      targetExtent: axis.input,
      origin,
      step: stride,
      count: Math.ceil((axis.input - origin) / stride),
      start: taps === 0 ? 0 : (origin + padding - firstTap * dilation) / stride,
      stride: 1,
      spacing: -(tapStep * dilation) / stride,
      taps,
      firstTap: taps === 0 ? 0 : firstTap,
      tapStep,
    };
  });
}

/** Returns the largest number that divides both; Euclid's algorithm. */
function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
