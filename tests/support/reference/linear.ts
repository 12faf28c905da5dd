import { type Tape, Value } from "./value.ts";

/** Computes `x weight^T + bias` for x `[..., in]` and weight `[out, in]`. */
export function linear(tape: Tape, x: Value, weight: Value, bias: Value | null): Value {
  const features = x.shape.at(-1)!;
  const n = x.data.length / features;
  const [out, into] = weight.shape as [number, number];
  if (features !== into) throw new Error(`[${x.shape}] for a weight [${weight.shape}]`);
  const y = Value.zeros(x.shape.with(-1, out));
  for (let row = 0; row < n; row++) {
    for (let o = 0; o < out; o++) {
      let sum = bias?.data[o] ?? 0;
      for (let i = 0; i < features; i++) sum += x.data[row * features + i]! * weight.data[o * features + i]!;
      y.data[row * out + o] = sum;
    }
  }
  tape.record(() => {
    for (let row = 0; row < n; row++) {
      for (let o = 0; o < out; o++) {
        const dy = y.grad[row * out + o]!;
        if (bias !== null) bias.grad[o]! += dy;
        for (let i = 0; i < features; i++) {
          weight.grad[o * features + i]! += dy * x.data[row * features + i]!;
          x.grad[row * features + i]! += dy * weight.data[o * features + i]!;
        }
      }
    }
  });
  return y;
}
