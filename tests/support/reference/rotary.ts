import { type Tape, Value } from "./value.ts";

/**
 * Rotates features k and k + d/2 of each head of d features in x `[n, t, heads d]` by the angle p base^(-2k / d) at position
 * p, as Hugging Face's Llama does.
 */
export function rotary(tape: Tape, x: Value, heads: number, base: number): Value {
  const [, t, features] = x.shape as [number, number, number];
  const depth = features / heads;
  const pairs: { first: number; second: number; cos: number; sin: number }[] = [];
  for (let row = 0; row < x.data.length / features; row++) {
    for (let head = 0; head < heads; head++) {
      for (let k = 0; k < depth / 2; k++) {
        const angle = (row % t) * base ** (-2 * k / depth);
        const first = row * features + head * depth + k;
        pairs.push({ first, second: first + depth / 2, cos: Math.cos(angle), sin: Math.sin(angle) });
      }
    }
  }
  const y = Value.zeros(x.shape);
  for (const { first, second, cos, sin } of pairs) {
    y.data[first] = x.data[first]! * cos - x.data[second]! * sin;
    y.data[second] = x.data[second]! * cos + x.data[first]! * sin;
  }
  tape.record(() => {
    for (const { first, second, cos, sin } of pairs) {
      x.grad[first]! += y.grad[first]! * cos + y.grad[second]! * sin;
      x.grad[second]! += y.grad[second]! * cos - y.grad[first]! * sin;
    }
  });
  return y;
}
