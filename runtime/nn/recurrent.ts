/**
 * Recurrent layers with PyTorch's parameters, gates and defaults; batches come first. The products with the input are
 * computed for all positions at once, those with the state position by position.
 *
 * @module
 */
import { z } from "zod";
import { add } from "../../ops/add.ts";
import { mul, sub } from "../../ops/arithmetic.ts";
import { concat, split, stack } from "../../ops/concat.ts";
import { dropout as drop } from "../../ops/dropout.ts";
import { linear } from "../../ops/linear.ts";
import { relu } from "../../ops/relu.ts";
import { reshape } from "../../ops/reshape.ts";
import { sigmoid } from "../../ops/sigmoid.ts";
import { expand } from "../../ops/sum.ts";
import { tanh } from "../../ops/tanh.ts";
import { transpose } from "../../ops/transpose.ts";
import { positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import { rowMajor } from "../graph/types.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { type TensorMaker, weightedLayer } from "./leaf_layer.ts";
import { dropProbability, layerOptions } from "./options.ts";

/** Options of {@linkcode rnn}, {@linkcode lstm} and {@linkcode gru}. */
export interface RecurrentOptions {
  /** Layers, each of which reads the output of the one before. Default: 1. */
  numLayers?: number;
  /** Adds biases. Default: true. */
  bias?: boolean;
  /** Probability that an output of a layer but the last is dropped in training. Default: 0. */
  dropout?: number;
  /** Reads the sequence backwards too, with separate weights, and concatenates both outputs. Default: false. */
  bidirectional?: boolean;
}

/** Options of {@linkcode rnn}. */
export interface RnnOptions extends RecurrentOptions {
  /** Default: `tanh`. */
  nonlinearity?: "tanh" | "relu";
}

const fields = {
  hiddenSize: positiveInteger,
  numLayers: positiveInteger.default(1),
  bias: z.boolean({ error: "expected true or false" }).default(true),
  dropout: dropProbability.default(0),
  bidirectional: z.boolean({ error: "expected true or false" }).default(false),
};

const schema = z.strictObject(fields);
const rnnSchema = z.strictObject({
  ...fields,
  nonlinearity: z.enum(["tanh", "relu"], { error: 'expected "tanh" or "relu"' }).default("tanh"),
});

/** A kind of recurrent layer. */
interface Cell {
  readonly type: string;
  /** Numbers per hidden unit that the products compute. */
  readonly gates: number;
  /**
   * Computes the next state from the products with the input and with the state, both `[n, gates * hidden]`. The output is
   * the first tensor of the state; a state of null is 0.
   */
  step(input: Tensor, recurrent: Tensor | null, state: readonly Tensor[] | null): readonly Tensor[];
}

/** Weights of one direction of one layer. */
interface Weights {
  readonly input: Tensor;
  readonly recurrent: Tensor;
  readonly inputBias: Tensor | null;
  readonly recurrentBias: Tensor | null;
}

/**
 * Creates a recurrent layer (Elman): `[n, t, in]` to the state of each position, `[n, t, hiddenSize]`, twice as wide if
 * bidirectional, with `h' = tanh(weight_ih x + bias_ih + weight_hh h + bias_hh)`. Parameters per layer l as in PyTorch's
 * `RNN`: `weight_ih_l0` `[hiddenSize, in]`, `weight_hh_l0` `[hiddenSize, hiddenSize]`, `bias_ih_l0`, `bias_hh_l0`, those of
 * the backward direction with `_reverse`.
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank
 */
export function rnn(hiddenSize: number, options: RnnOptions = {}): MarkedLayer {
  const { nonlinearity, ...settings } = layerOptions("rnn", rnnSchema, options, { hiddenSize });
  const activate = nonlinearity === "tanh" ? tanh : relu;
  return recurrent({ type: "rnn", gates: 1, step: (x, h) => [activate(sum(x, h))] }, settings);
}

/**
 * Creates an LSTM (S. Hochreiter and J. Schmidhuber, 1997): `[n, t, in]` to the hidden state of each position. Named as in
 * {@linkcode rnn}; the rows of the weights are the input gate, the forget gate, the cell and the output gate.
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank
 */
export function lstm(hiddenSize: number, options: RecurrentOptions = {}): MarkedLayer {
  return recurrent({ type: "lstm", gates: 4, step: lstmStep }, layerOptions("lstm", schema, options, { hiddenSize }));
}

/**
 * Creates a GRU (K. Cho et al., 2014): `[n, t, in]` to the hidden state of each position. Named as in {@linkcode rnn}; the
 * rows of the weights are the reset gate, the update gate and the new state.
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank
 */
export function gru(hiddenSize: number, options: RecurrentOptions = {}): MarkedLayer {
  return recurrent({ type: "gru", gates: 3, step: gruStep }, layerOptions("gru", schema, options, { hiddenSize }));
}

function lstmStep(input: Tensor, recurrent: Tensor | null, state: readonly Tensor[] | null): readonly Tensor[] {
  const [i, f, g, o] = split(sum(input, recurrent), 4, 1) as [Tensor, Tensor, Tensor, Tensor];
  const added = mul(sigmoid(i), tanh(g));
  const cell = state === null ? added : add(mul(sigmoid(f), state[1]!), added);
  return [mul(sigmoid(o), tanh(cell)), cell];
}

function gruStep(input: Tensor, recurrent: Tensor | null, state: readonly Tensor[] | null): readonly Tensor[] {
  const [r, z, n] = split(input, 3, 1) as [Tensor, Tensor, Tensor];
  const [hr, hz, hn] = recurrent === null ? [null, null, null] : split(recurrent, 3, 1) as [Tensor, Tensor, Tensor];
  const update = sigmoid(sum(z, hz));
  const fresh = tanh(hn === null ? n : add(n, mul(sigmoid(sum(r, hr)), hn)));
  const kept = state === null ? null : mul(update, state[0]!);
  return [sum(mul(sub(1, update), fresh), kept)];
}

function sum(a: Tensor, b: Tensor | null): Tensor {
  return b === null ? a : add(a, b);
}

function recurrent({ type, gates, step }: Cell, settings: z.output<typeof schema>): MarkedLayer {
  const { hiddenSize, numLayers, bias, dropout, bidirectional } = settings;
  const directions = bidirectional ? ["", "_reverse"] : [""];
  return weightedLayer<readonly (readonly Weights[])[]>({
    type,
    unit: "features",
    size(shape, fail) {
      if (shape.length !== 3) throw fail(`${type} expects an input [n, t, features], got ${namedShape(shape)}`);
      return shape[2]!;
    },
    create: (make, x) =>
      Array.from({ length: numLayers }, (_, l) => {
        const inputs = l === 0 ? x.shape[2]! : hiddenSize * directions.length;
        return directions.map((suffix) => weightsOf(make, `l${l}${suffix}`, { inputs, hiddenSize, gates, bias }));
      }),
    apply: (x, layers) =>
      layers.reduce((below, layer, l) => {
        const read = l === 0 ? below : drop(below, dropout);
        const outputs = layer.map((weights, d) => run(step, read, weights, hiddenSize, d === 1));
        return outputs.length === 1 ? outputs[0]! : concat(outputs, 2);
      }, x),
  });
}

function weightsOf(
  make: TensorMaker,
  name: string,
  { inputs, hiddenSize, gates, bias }: { inputs: number; hiddenSize: number; gates: number; bias: boolean },
): Weights {
  const bound = 1 / Math.sqrt(hiddenSize);
  const start = { kind: "uniform", low: -bound, high: bound } as const;
  const rows = gates * hiddenSize;
  const matrix = (kind: string, columns: number) =>
    make.parameter(`weight_${kind}_${name}`, { shape: [rows, columns], dtype: "f32", layout: "io" }, start);
  const vector = (kind: string) => bias ? make.parameter(`bias_${kind}_${name}`, rowMajor([rows], "f32"), start) : null;
  return {
    input: matrix("ih", inputs),
    recurrent: matrix("hh", hiddenSize),
    inputBias: vector("ih"),
    recurrentBias: vector("hh"),
  };
}

/** Runs one direction of one layer over a sequence `[n, t, features]`. */
function run(step: Cell["step"], x: Tensor, weights: Weights, hiddenSize: number, backwards: boolean): Tensor {
  const [n, t] = x.shape as [number, number];
  const rows = weights.input.shape[0]!;
  const products = transpose(linear(x, weights.input, weights.inputBias), [1, 0, 2]);
  const inputs = split(products, t, 0).map((each) => reshape(each, [n, rows]));
  const outputs = new Array<Tensor>(t);
  let state: readonly Tensor[] | null = null;
  for (let i = 0; i < t; i++) {
    const at = backwards ? t - 1 - i : i;
    state = step(inputs[at]!, recurrentProduct(weights, state, n), state);
    outputs[at] = state[0]!;
  }
  return transpose(reshape(stack(outputs, 0), [t, n, hiddenSize]), [1, 0, 2]);
}

/** Returns the product with the state `[n, gates * hidden]`; a state of null is 0, which leaves the bias. */
function recurrentProduct(weights: Weights, state: readonly Tensor[] | null, n: number): Tensor | null {
  const { recurrent, recurrentBias } = weights;
  if (state !== null) return linear(state[0]!, recurrent, recurrentBias);
  return recurrentBias === null ? null : expand(recurrentBias, [n, recurrent.shape[0]!]);
}
