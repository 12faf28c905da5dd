import { type Tape, Value } from "./value.ts";

/** Computes `gamma x / sqrt(mean of x^2 + epsilon)` over the last dimension. */
export function rmsNorm(tape: Tape, x: Value, gamma: Value, epsilon: number): Value {
  const width = x.shape.at(-1)!;
  const y = Value.zeros(x.shape);
  for (let first = 0; first < x.data.length; first += width) {
    const row = x.data.subarray(first, first + width);
    const scale = 1 / Math.sqrt(row.reduce((sum, value) => sum + value * value, 0) / width + epsilon);
    row.forEach((value, i) => y.data[first + i] = value * scale * gamma.data[i]!);
    tape.record(() => {
      const dot = row.reduce((sum, value, i) => sum + y.grad[first + i]! * gamma.data[i]! * value, 0);
      row.forEach((value, i) => {
        gamma.grad[i]! += y.grad[first + i]! * value * scale;
        x.grad[first + i]! += scale * (y.grad[first + i]! * gamma.data[i]! - value * scale * scale * dot / width);
      });
    });
  }
  return y;
}
