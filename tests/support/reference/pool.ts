import { type Tape, Value } from "./value.ts";

export interface PoolSettings {
  readonly kernel: readonly [number, number];
  readonly stride: readonly [number, number];
  readonly padding?: readonly [number, number];
}

/** Returns the output of a sliding window and, for each element, the inputs in the window. */
function windows(x: Value, { kernel, stride, padding = [0, 0] }: PoolSettings): { y: Value; inputs: number[][] } {
  const [n, c, h, w] = x.shape as [number, number, number, number];
  const oh = Math.floor((h + 2 * padding[0] - kernel[0]) / stride[0]) + 1;
  const ow = Math.floor((w + 2 * padding[1] - kernel[1]) / stride[1]) + 1;
  const inputs: number[][] = [];
  for (let plane = 0; plane < n * c; plane++) {
    for (let i = 0; i < oh; i++) {
      for (let j = 0; j < ow; j++) {
        const under: number[] = [];
        for (let row = i * stride[0] - padding[0], end = row + kernel[0]; row < end; row++) {
          for (let column = j * stride[1] - padding[1], last = column + kernel[1]; column < last; column++) {
            if (row >= 0 && row < h && column >= 0 && column < w) under.push((plane * h + row) * w + column);
          }
        }
        inputs.push(under);
      }
    }
  }
  return { y: Value.zeros([n, c, oh, ow]), inputs };
}

/** Returns the largest element; the gradient goes to the first of equal elements. */
export function maxPool2d(tape: Tape, x: Value, settings: PoolSettings): Value {
  const { y, inputs } = windows(x, settings);
  const winners = inputs.map((under) => under.reduce((best, at) => (x.data[at]! > x.data[best]! ? at : best)));
  winners.forEach((at, i) => y.data[i] = x.data[at]!);
  tape.record(() => winners.forEach((at, i) => x.grad[at]! += y.grad[i]!));
  return y;
}

/** Returns the mean, in which padding counts as zeros unless `countIncludePad` is false. */
export function avgPool2d(
  tape: Tape,
  x: Value,
  settings: PoolSettings & { readonly countIncludePad?: boolean },
): Value {
  const { y, inputs } = windows(x, settings);
  const sizes = inputs.map((under) =>
    settings.countIncludePad === false ? under.length : settings.kernel[0] * settings.kernel[1]
  );
  inputs.forEach((under, i) => y.data[i] = under.reduce((sum, at) => sum + x.data[at]!, 0) / sizes[i]!);
  tape.record(() => inputs.forEach((under, i) => under.forEach((at) => x.grad[at]! += y.grad[i]! / sizes[i]!)));
  return y;
}

/** Returns the mean over the pixels: `[n, c, h, w]` -> `[n, c, 1, 1]`. */
export function globalAvgPool2d(tape: Tape, x: Value): Value {
  const kernel = [x.shape[2]!, x.shape[3]!] as const;
  return avgPool2d(tape, x, { kernel, stride: kernel });
}
