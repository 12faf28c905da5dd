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
  eachProduct(c, (at, from, tap) => y[at]! += x[from]! * weight[tap]!);
  return y;
}

export function convInputGrad(c: ConvCase, dy: ArrayLike<number>, weight: ArrayLike<number>): Float64Array {
  const dx = new Float64Array(c.x.reduce((a, b) => a * b));
  eachProduct(c, (at, from, tap) => dx[from]! += dy[at]! * weight[tap]!);
  return dx;
}

export function convWeightGrad(c: ConvCase, x: ArrayLike<number>, dy: ArrayLike<number>): Float64Array {
  const dw = new Float64Array(c.weight.reduce((a, b) => a * b));
  eachProduct(c, (at, from, tap) => dw[tap]! += dy[at]! * x[from]!);
  return dw;
}

/** Returns the sums of `[n, c, size]` over all dimensions but the second. */
export function channelSums(dy: ArrayLike<number>, n: number, channels: number, size: number): Float64Array {
  const sums = new Float64Array(channels);
  for (let i = 0; i < n * channels * size; i++) sums[Math.floor(i / size) % channels]! += dy[i]!;
  return sums;
}

/** Calls `visit` for every multiply-add with the indices of the output, the input and the weight. */
function eachProduct(c: ConvCase, visit: (output: number, input: number, weight: number) => void): void {
  const [n, channels, h, w] = c.x as [number, number, number, number];
  const [out, perGroup, kh, kw] = c.weight as [number, number, number, number];
  const [oh, ow] = outputSize(c);
  for (let image = 0; image < n; image++) {
    for (let o = 0; o < out; o++) {
      const first = Math.floor(o / (out / c.groups)) * perGroup;
      for (let i = 0; i < oh; i++) {
        for (let j = 0; j < ow; j++) {
          const output = ((image * out + o) * oh + i) * ow + j;
          for (let channel = 0; channel < perGroup; channel++) {
            for (let ky = 0; ky < kh; ky++) {
              const y = i * c.stride[0] - c.padding[0] + ky * c.dilation[0];
              if (y < 0 || y >= h) continue;
              for (let kx = 0; kx < kw; kx++) {
                const x = j * c.stride[1] - c.padding[1] + kx * c.dilation[1];
                if (x < 0 || x >= w) continue;
                visit(
                  output,
                  ((image * channels + first + channel) * h + y) * w + x,
                  ((o * perGroup + channel) * kh + ky) * kw + kx,
                );
              }
            }
          }
        }
      }
    }
  }
}
