import type { Optimizer } from "./optimizers.ts";
import { Tape, Value } from "./value.ts";

/** One forward pass of a network. */
export interface Pass {
  readonly tape: Tape;
  /** True for batch statistics and dropout, false for running statistics and no dropout. */
  readonly training: boolean;
  readonly seed: number;
  /** Number of steps before this one. */
  readonly step: number;
  parameter(name: string): Value;
  /** Returns state that training keeps, such as running means. */
  running(name: string): Float64Array;
}

/** A network as a function from a batch to its output. */
export type Model = (pass: Pass, x: Value) => Value;

/** A loss as a function from a batch's output to its mean loss. */
export type Loss = (tape: Tape, output: Value, target: Int32Array | Float32Array) => Value;

export interface Arrays {
  readonly shape: readonly number[];
  readonly data: ArrayLike<number>;
}

/** A network with its weights, trained in double precision. */
export class Network {
  readonly parameters: ReadonlyMap<string, Value>;
  readonly running: ReadonlyMap<string, Float64Array>;
  readonly #model: Model;
  readonly #seed: number;
  #step = 0;

  constructor(
    model: Model,
    parameters: ReadonlyMap<string, Arrays>,
    running: ReadonlyMap<string, Arrays>,
    seed: number,
  ) {
    this.#model = model;
    this.#seed = seed;
    this.parameters = new Map([...parameters].map(([name, { shape, data }]) => [name, Value.from(shape, data)]));
    this.running = new Map([...running].map(([name, { data }]) => [name, Float64Array.from(data)]));
  }

  /** Trains one step and returns the loss before the update. The gradients of this step stay in the parameters. */
  train(x: Arrays, target: Int32Array | Float32Array, loss: Loss, optimizer: Optimizer): number {
    const pass = this.#pass(true);
    const value = loss(pass.tape, this.#model(pass, Value.from(x.shape, x.data)), target);
    for (const parameter of this.parameters.values()) parameter.grad.fill(0);
    pass.tape.backward(value);
    pass.checkUse();
    optimizer(this.parameters.values());
    this.#step++;
    return value.data[0]!;
  }

  /** Returns the output for a batch, with running statistics and without dropout. */
  infer(x: Arrays): Value {
    return this.#model(this.#pass(false), Value.from(x.shape, x.data));
  }

  #pass(training: boolean): Pass & { checkUse(): void } {
    const used = new Set<string>();
    const take = <T>(map: ReadonlyMap<string, T>) => (name: string): T => {
      const found = map.get(name);
      if (found === undefined) throw new Error(`no "${name}" among ${[...map.keys()].join(", ")}`);
      used.add(name);
      return found;
    };
    return {
      tape: new Tape(),
      training,
      seed: this.#seed,
      step: this.#step,
      parameter: take(this.parameters),
      running: take(this.running),
      checkUse: () => {
        const unused = [...this.parameters.keys(), ...this.running.keys()].filter((name) => !used.has(name));
        if (unused.length > 0) throw new Error(`the reference does not use ${unused.join(", ")}`);
      },
    };
  }
}
