/** Convolution and its gradients as plain loops in double precision over logical, row-major values. */
import type { ConvAttrs } from "../../ops/conv2d.ts";
import type { Shape } from "../../runtime/core/shape.ts";

export interface ConvCase extends ConvAttrs {
  /** [n, c, h, w] */
  readonly x: Shape;
  /** [out, c / groups, kh, kw] */
  readonly weight: Shape;
}

export function outputSize({ x, weight, stride, padding, dilation }: ConvCase): [number, number] {
  const extent = (i: 0 | 1) =>
    Math.floor((x[2 + i]! + 2 * padding[i] - dilation[i] * (weight[2 + i]! - 1) - 1) / stride[i]) + 1;
  return [extent(0), extent(1)];
}

export function convForward(c: ConvCase, x: ArrayLike<number>, weight: ArrayLike<number>): Float64Array {
  const y = new Float64Array(c.x[0]! * c.weight[0]! * outputSize(c)[0] * outputSize(c)[1]);
  eachRun(c, ({ output, input, tap, count, stride }) => {
    for (let i = 0; i < count; i++) y[output + i]! += x[input + i * stride]! * weight[tap]!;
  });
  return y;
}

export function convInputGrad(c: ConvCase, dy: ArrayLike<number>, weight: ArrayLike<number>): Float64Array {
  const dx = new Float64Array(c.x.reduce((a, b) => a * b));
  eachRun(c, ({ output, input, tap, count, stride }) => {
    for (let i = 0; i < count; i++) dx[input + i * stride]! += dy[output + i]! * weight[tap]!;
  });
  return dx;
}

export function convWeightGrad(c: ConvCase, x: ArrayLike<number>, dy: ArrayLike<number>): Float64Array {
  const dw = new Float64Array(c.weight.reduce((a, b) => a * b));
  eachRun(c, ({ output, input, tap, count, stride }) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += dy[output + i]! * x[input + i * stride]!;
    dw[tap]! += sum;
  });
  return dw;
}

/** Returns the sums of `[n, c, size]` over all dimensions but the second. */
export function channelSums(dy: ArrayLike<number>, n: number, channels: number, size: number): Float64Array {
  const sums = new Float64Array(channels);
  for (let i = 0; i < n * channels * size; i++) sums[Math.floor(i / size) % channels]! += dy[i]!;
  return sums;
}

/** Multiply-adds of one weight with consecutive outputs of a line, whose inputs are `stride` apart. */
interface Run {
  /** Index of the first output, of its input, and of the weight. */
  output: number;
  input: number;
  tap: number;
  count: number;
  stride: number;
}

/** Calls `visit` for all multiply-adds. The record is the same each time, with new values. */
function eachRun(c: ConvCase, visit: (run: Readonly<Run>) => void): void {
  const [n, channels, h, w] = c.x as [number, number, number, number];
  const [out, perGroup, kh, kw] = c.weight as [number, number, number, number];
  const [oh, ow] = outputSize(c);
  const stride = c.stride[1];
  const run: Run = { output: 0, input: 0, tap: 0, count: 0, stride };
  for (let kx = 0; kx < kw; kx++) {
    // Columns whose input is neither to the left nor to the right of the image
    const shift = kx * c.dilation[1] - c.padding[1];
    const first = Math.max(0, Math.ceil(-shift / stride));
    run.count = Math.min(ow, Math.floor((w - 1 - shift) / stride) + 1) - first;
    if (run.count <= 0) continue;
    for (let image = 0; image < n; image++) {
      for (let o = 0; o < out; o++) {
        const group = Math.floor(o / (out / c.groups)) * perGroup;
        for (let channel = 0; channel < perGroup; channel++) {
          for (let ky = 0; ky < kh; ky++) {
            run.tap = ((o * perGroup + channel) * kh + ky) * kw + kx;
            for (let i = 0; i < oh; i++) {
              const y = i * c.stride[0] - c.padding[0] + ky * c.dilation[0];
              if (y < 0 || y >= h) continue;
              run.output = ((image * out + o) * oh + i) * ow + first;
              run.input = ((image * channels + group + channel) * h + y) * w + first * stride + shift;
              visit(run);
            }
          }
        }
      }
    }
  }
}
