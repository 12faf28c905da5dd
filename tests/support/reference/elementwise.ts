import { type Tape, Value } from "./value.ts";

/** Applies `f` to each element; `slope` is its derivative as a function of x and f(x). */
function map(tape: Tape, x: Value, f: (x: number) => number, slope: (x: number, y: number) => number): Value {
  const y = new Value(x.shape, x.data.map(f));
  tape.record(() => {
    for (let i = 0; i < y.data.length; i++) x.grad[i]! += y.grad[i]! * slope(x.data[i]!, y.data[i]!);
  });
  return y;
}

export function relu(tape: Tape, x: Value): Value {
  return map(tape, x, (x) => Math.max(x, 0), (x) => (x > 0 ? 1 : 0));
}

export function tanh(tape: Tape, x: Value): Value {
  return map(tape, x, Math.tanh, (_x, y) => 1 - y * y);
}

export function sigmoid(tape: Tape, x: Value): Value {
  return map(tape, x, (x) => 1 / (1 + Math.exp(-x)), (_x, y) => y * (1 - y));
}

export function relu6(tape: Tape, x: Value): Value {
  return map(tape, x, (x) => Math.min(6, Math.max(x, 0)), (_x, y) => (y > 0 && y < 6 ? 1 : 0));
}

export function hardSigmoid(tape: Tape, x: Value): Value {
  return map(tape, x, (x) => Math.min(6, Math.max(x + 3, 0)) / 6, (_x, y) => (y > 0 && y < 1 ? 1 / 6 : 0));
}

export function hardSwish(tape: Tape, x: Value): Value {
  return map(
    tape,
    x,
    (x) => x * Math.min(6, Math.max(x + 3, 0)) / 6,
    (x) => (x <= -3 ? 0 : x >= 3 ? 1 : (2 * x + 3) / 6),
  );
}

export function gelu(tape: Tape, x: Value): Value {
  const density = (x: number) => Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
  return map(tape, x, (x) => x * normalBelow(x), (x) => normalBelow(x) + x * density(x));
}

/** GELU's tanh form (D. Hendrycks and K. Gimpel, 2016). */
export function geluTanh(tape: Tape, x: Value): Value {
  const root = Math.sqrt(2 / Math.PI);
  const squashed = (x: number) => Math.tanh(root * (x + 0.044715 * x ** 3));
  const slope = (x: number) => {
    const y = squashed(x);
    return (1 + y + x * (1 - y * y) * root * (1 + 3 * 0.044715 * x * x)) / 2;
  };
  return map(tape, x, (x) => x * (1 + squashed(x)) / 2, slope);
}

export function silu(tape: Tape, x: Value): Value {
  const gate = (x: number) => 1 / (1 + Math.exp(-x));
  return map(tape, x, (x) => x * gate(x), (x) => gate(x) * (1 + x * (1 - gate(x))));
}

/** Returns P(X <= x) of a standard normal X, by Simpson's rule on the density from 0 to x. */
function normalBelow(x: number): number {
  const parts = 400;
  const width = x / parts;
  let sum = 0;
  for (let i = 0; i <= parts; i++) {
    const weight = i === 0 || i === parts ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * Math.exp(-((i * width) ** 2) / 2);
  }
  return 0.5 + sum * width / 3 / Math.sqrt(2 * Math.PI);
}

export function add(tape: Tape, a: Value, b: Value): Value {
  if (a.shape.join() !== b.shape.join()) throw new Error(`[${a.shape}] + [${b.shape}]`);
  const y = new Value(a.shape, a.data.map((value, i) => value + b.data[i]!));
  tape.record(() => {
    for (let i = 0; i < y.grad.length; i++) {
      a.grad[i]! += y.grad[i]!;
      b.grad[i]! += y.grad[i]!;
    }
  });
  return y;
}

export function mul(tape: Tape, a: Value, b: Value): Value {
  if (a.shape.join() !== b.shape.join()) throw new Error(`[${a.shape}] * [${b.shape}]`);
  const y = new Value(a.shape, a.data.map((value, i) => value * b.data[i]!));
  tape.record(() => {
    for (let i = 0; i < y.grad.length; i++) {
      a.grad[i]! += y.grad[i]! * b.data[i]!;
      b.grad[i]! += y.grad[i]! * a.data[i]!;
    }
  });
  return y;
}

/** Multiplies each channel of images `[n, c, h, w]` by a factor of `[n, c, 1, 1]`. */
export function scaleChannels(tape: Tape, x: Value, factors: Value): Value {
  const size = x.data.length / factors.data.length;
  const at = (i: number) => Math.floor(i / size);
  const y = new Value(x.shape, x.data.map((value, i) => value * factors.data[at(i)]!));
  tape.record(() => {
    for (let i = 0; i < y.grad.length; i++) {
      x.grad[i]! += y.grad[i]! * factors.data[at(i)]!;
      factors.grad[at(i)]! += y.grad[i]! * x.data[i]!;
    }
  });
  return y;
}

/** Returns the same elements in another shape. */
export function reshape(tape: Tape, x: Value, shape: readonly number[]): Value {
  const y = new Value(shape, x.data.slice());
  tape.record(() => {
    for (let i = 0; i < y.grad.length; i++) x.grad[i]! += y.grad[i]!;
  });
  return y;
}

export function flatten(tape: Tape, x: Value): Value {
  return reshape(tape, x, [x.shape[0]!, x.data.length / x.shape[0]!]);
}
