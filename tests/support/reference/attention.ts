import { type Tape, Value } from "./value.ts";

/**
 * Computes softmax(q k^T / sqrt(d)) v for each head (A. Vaswani et al., 2017). `qkv` `[n, t, 3 c]` holds queries, keys and
 * values of c features each, head by head. Result: `[n, t, c]`.
 */
export function attention(tape: Tape, qkv: Value, heads: number, { causal = false } = {}): Value {
  const [n, t, width] = qkv.shape as [number, number, number];
  const features = width / 3;
  const depth = features / heads;
  const scale = 1 / Math.sqrt(depth);
  const y = Value.zeros([n, t, features]);
  const at = (s: number, row: number, which: number, head: number) =>
    (s * t + row) * width + which * features + head * depth;
  for (let s = 0; s < n; s++) {
    for (let head = 0; head < heads; head++) {
      for (let row = 0; row < t; row++) {
        const [q, out] = [at(s, row, 0, head), (s * t + row) * features + head * depth];
        const seen = causal ? row + 1 : t;
        const powers = Array.from({ length: seen }, (_, column) => {
          let score = 0;
          for (let i = 0; i < depth; i++) score += qkv.data[q + i]! * qkv.data[at(s, column, 1, head) + i]!;
          return Math.exp(score * scale);
        });
        const total = powers.reduce((a, b) => a + b, 0);
        const weights = powers.map((power) => power / total);
        weights.forEach((weight, column) => {
          const v = at(s, column, 2, head);
          for (let i = 0; i < depth; i++) y.data[out + i]! += weight * qkv.data[v + i]!;
        });
        tape.record(() => {
          const slopes = weights.map((weight, column) => {
            const v = at(s, column, 2, head);
            let slope = 0;
            for (let i = 0; i < depth; i++) {
              slope += y.grad[out + i]! * qkv.data[v + i]!;
              qkv.grad[v + i]! += weight * y.grad[out + i]!;
            }
            return slope;
          });
          const mean = slopes.reduce((sum, slope, column) => sum + slope * weights[column]!, 0);
          slopes.forEach((slope, column) => {
            const k = at(s, column, 1, head);
            const factor = weights[column]! * (slope - mean) * scale;
            for (let i = 0; i < depth; i++) {
              qkv.grad[q + i]! += factor * qkv.data[k + i]!;
              qkv.grad[k + i]! += factor * qkv.data[q + i]!;
            }
          });
        });
      }
    }
  }
  return y;
}
