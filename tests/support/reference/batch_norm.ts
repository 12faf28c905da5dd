import { type Tape, Value } from "./value.ts";

export interface NormTensors {
  readonly gamma: Value;
  readonly beta: Value;
  /** Changed by training. */
  readonly runningMean: Float64Array;
  /** Changed by training. */
  readonly runningVariance: Float64Array;
}

export interface NormSettings {
  readonly epsilon?: number;
  readonly momentum?: number;
}

/**
 * Computes `torch.nn.BatchNorm1d` and `2d`. Training normalises with the batch's mean and biased
 * variance and moves the running values towards the mean and the unbiased variance.
 */
export function batchNorm(
  tape: Tape,
  x: Value,
  { gamma, beta, runningMean, runningVariance }: NormTensors,
  training: boolean,
  { epsilon = 1e-5, momentum = 0.1 }: NormSettings = {},
): Value {
  const [n, c] = x.shape as [number, number];
  const size = x.data.length / n / c;
  const m = n * size;
  const y = Value.zeros(x.shape);
  for (let channel = 0; channel < c; channel++) {
    const places: number[] = [];
    for (let i = 0; i < m; i++) places.push((Math.floor(i / size) * c + channel) * size + i % size);
    let [mean, variance] = [runningMean[channel]!, runningVariance[channel]!];
    if (training) {
      mean = places.reduce((sum, at) => sum + x.data[at]!, 0) / m;
      variance = places.reduce((sum, at) => sum + (x.data[at]! - mean) ** 2, 0) / m;
      runningMean[channel]! += momentum * (mean - runningMean[channel]!);
      runningVariance[channel]! += momentum * (variance * m / (m - 1) - runningVariance[channel]!);
    }
    const scale = 1 / Math.sqrt(variance + epsilon);
    for (const at of places) {
      y.data[at] = (x.data[at]! - mean) * scale * gamma.data[channel]! + beta.data[channel]!;
    }
    tape.record(() => {
      let [sum, dot] = [0, 0];
      for (const at of places) {
        sum += y.grad[at]!;
        dot += y.grad[at]! * (x.data[at]! - mean) * scale;
      }
      gamma.grad[channel]! += dot;
      beta.grad[channel]! += sum;
      for (const at of places) {
        const centred = training ? (sum + dot * (x.data[at]! - mean) * scale) / m : 0;
        x.grad[at]! += gamma.data[channel]! * scale * (y.grad[at]! - centred);
      }
    });
  }
  return y;
}
