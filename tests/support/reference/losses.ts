import { type Tape, Value } from "./value.ts";

/** Computes the mean over rows of `-sum_k q_k log softmax(logits)_k`, where q is the target with label smoothing. */
export function crossEntropy(tape: Tape, logits: Value, targets: Int32Array, labelSmoothing: number): Value {
  const [n, classes] = logits.shape as [number, number];
  const loss = Value.zeros([1]);
  const slopes = new Float64Array(n * classes);
  for (let row = 0; row < n; row++) {
    const values = logits.data.subarray(row * classes, (row + 1) * classes);
    const largest = Math.max(...values);
    const total = values.reduce((sum, value) => sum + Math.exp(value - largest), 0);
    values.forEach((value, k) => {
      const wanted = (k === targets[row] ? 1 - labelSmoothing : 0) + labelSmoothing / classes;
      loss.data[0]! -= wanted * (value - largest - Math.log(total)) / n;
      slopes[row * classes + k] = (Math.exp(value - largest) / total - wanted) / n;
    });
  }
  tape.record(() => slopes.forEach((slope, i) => logits.grad[i]! += slope * loss.grad[0]!));
  return loss;
}

/** Computes the mean of the squared differences of all elements. */
export function meanSquaredError(tape: Tape, x: Value, targets: ArrayLike<number>): Value {
  const loss = Value.zeros([1]);
  const n = x.data.length;
  for (let i = 0; i < n; i++) loss.data[0]! += (x.data[i]! - targets[i]!) ** 2 / n;
  tape.record(() => {
    for (let i = 0; i < n; i++) x.grad[i]! += 2 * (x.data[i]! - targets[i]!) / n * loss.grad[0]!;
  });
  return loss;
}
