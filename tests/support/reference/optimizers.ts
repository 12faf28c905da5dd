/**
 * Optimizers of `torch.optim` in double precision.
 *
 * @module
 */
import type { Value } from "./value.ts";

/** Updates parameters from their gradients; called once per update. */
export type Optimizer = (parameters: Iterable<Value>) => void;

export function sgd(options: {
  learningRate: number;
  momentum?: number;
  dampening?: number;
  nesterov?: boolean;
  weightDecay?: number;
}): Optimizer {
  const { learningRate, momentum = 0, dampening = 0, nesterov = false, weightDecay = 0 } = options;
  const velocities = new Map<Value, Float64Array>();
  return (parameters) => {
    for (const parameter of parameters) {
      const gradient = parameter.grad.map((g, i) => g + weightDecay * parameter.data[i]!);
      const before = velocities.get(parameter);
      const velocity = before === undefined
        ? gradient.slice()
        : before.map((v, i) => momentum * v + (1 - dampening) * gradient[i]!);
      velocities.set(parameter, velocity);
      for (let i = 0; i < gradient.length; i++) {
        const direction = momentum === 0
          ? gradient[i]!
          : nesterov
          ? gradient[i]! + momentum * velocity[i]!
          : velocity[i]!;
        parameter.data[i]! -= learningRate * direction;
      }
    }
  };
}

export function adam(options: {
  learningRate: number;
  beta1?: number;
  beta2?: number;
  epsilon?: number;
  weightDecay?: number;
  /** True for AdamW. */
  decoupled?: boolean;
}): Optimizer {
  const { learningRate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, decoupled = false } = options;
  const moments = new Map<Value, { m: Float64Array; v: Float64Array }>();
  let t = 0;
  return (parameters) => {
    t++;
    for (const parameter of parameters) {
      const n = parameter.data.length;
      const { m, v } = moments.get(parameter) ?? { m: new Float64Array(n), v: new Float64Array(n) };
      moments.set(parameter, { m, v });
      for (let i = 0; i < n; i++) {
        const p = parameter.data[i]!;
        const g = parameter.grad[i]! + (decoupled ? 0 : weightDecay * p);
        m[i] = beta1 * m[i]! + (1 - beta1) * g;
        v[i] = beta2 * v[i]! + (1 - beta2) * g * g;
        const step = (m[i]! / (1 - beta1 ** t)) / (Math.sqrt(v[i]! / (1 - beta2 ** t)) + epsilon);
        parameter.data[i] = p * (decoupled ? 1 - learningRate * weightDecay : 1) - learningRate * step;
      }
    }
  };
}
