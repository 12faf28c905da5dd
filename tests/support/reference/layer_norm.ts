import { type Tape, Value } from "./value.ts";

/** Computes `torch.nn.LayerNorm` over the last dimension, with the biased variance. */
export function layerNorm(tape: Tape, x: Value, gamma: Value, beta: Value, epsilon: number): Value {
  const width = x.shape.at(-1)!;
  const y = Value.zeros(x.shape);
  for (let first = 0; first < x.data.length; first += width) {
    const row = x.data.subarray(first, first + width);
    const mean = row.reduce((a, b) => a + b, 0) / width;
    const scale = 1 / Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width + epsilon);
    const normalized = row.map((value) => (value - mean) * scale);
    for (let i = 0; i < width; i++) y.data[first + i] = normalized[i]! * gamma.data[i]! + beta.data[i]!;
    tape.record(() => {
      let [sum, dot] = [0, 0];
      const slopes = normalized.map((_, i) => y.grad[first + i]! * gamma.data[i]!);
      slopes.forEach((slope, i) => {
        sum += slope / width;
        dot += slope * normalized[i]! / width;
      });
      for (let i = 0; i < width; i++) {
        gamma.grad[i]! += y.grad[first + i]! * normalized[i]!;
        beta.grad[i]! += y.grad[first + i]!;
        x.grad[first + i]! += scale * (slopes[i]! - sum - normalized[i]! * dot);
      }
    });
  }
  return y;
}
