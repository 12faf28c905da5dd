/**
 * A tape of operations in double precision, used to check whole networks. It shares no code with Tacho.
 *
 * @module
 */

/** A tensor in row-major order with the gradient of the loss with respect to it. */
export class Value {
  readonly grad: Float64Array;

  readonly shape: readonly number[];
  readonly data: Float64Array;

  constructor(shape: readonly number[], data: Float64Array) {
    this.shape = shape;
    this.data = data;
    if (data.length !== count(shape)) throw new Error(`${data.length} values for [${shape.join(", ")}]`);
    this.grad = new Float64Array(data.length);
  }

  static zeros(shape: readonly number[]): Value {
    return new Value(shape, new Float64Array(count(shape)));
  }

  static from(shape: readonly number[], values: ArrayLike<number>): Value {
    return new Value(shape, Float64Array.from(values));
  }
}

/** Returns the number of elements. */
export function count(shape: readonly number[]): number {
  return shape.reduce((product, n) => product * n, 1);
}

/** Records the backward function of each operation, in the order of the forward pass. */
export class Tape {
  readonly #steps: (() => void)[] = [];

  /** @param backward adds the operation's contribution to the gradients of its inputs */
  record(backward: () => void): void {
    this.#steps.push(backward);
  }

  /** Computes the gradients of the sum of `y` times `slopes`, 1 by default, with respect to every value it depends on. */
  backward(y: Value, slopes: ArrayLike<number> = new Float64Array(y.data.length).fill(1)): void {
    y.grad.set(slopes);
    for (const step of this.#steps.toReversed()) step();
  }
}
