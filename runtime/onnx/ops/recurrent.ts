/**
 * Recurrent networks: inputs X `[t, n, in]`, W `[directions, gates hidden, in]`, R `[directions, gates hidden, hidden]`, B
 * `[directions, 2 gates hidden]`, the lengths of the sequences, and the states at the start. The products with the input are
 * computed for all positions at once.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { mul, sub } from "../../../ops/arithmetic.ts";
import { concat, split, stack } from "../../../ops/concat.ts";
import { matmul } from "../../../ops/matmul.ts";
import { reshape } from "../../../ops/reshape.ts";
import { slice } from "../../../ops/slice.ts";
import { transpose } from "../../../ops/transpose.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import { tableEntry } from "../../core/table_entry.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { spend } from "../budget.ts";
import { activationOf, type Unary } from "../gate_activations.ts";
import type { Operator } from "../operator.ts";

/** Inputs of one time step of a cell. Gates are `[n, hidden]` each, in ONNX's order. */
interface Step {
  readonly inputs: readonly Tensor[];
  /** Products of a state with R, and their bias. */
  readonly recurrent: (state: Tensor) => readonly Tensor[];
  readonly state: readonly Tensor[];
  readonly activations: readonly Unary[];
  /** Multiplies a state with the part of R of the last gate, without the bias. */
  readonly last: (state: Tensor) => Tensor;
  readonly peepholes: readonly Tensor[] | null;
  readonly resetsAfter: boolean;
}

interface Cell {
  readonly type: string;
  readonly gates: number;
  /** Default activations. */
  readonly activations: readonly string[];
  /** Number of states: the hidden one, and an LSTM's cell. */
  readonly states: number;
  step(step: Step): readonly Tensor[];
}

const simple: Cell = {
  type: "RNN",
  gates: 1,
  activations: ["Tanh"],
  states: 1,
  step: ({ inputs: [x], recurrent, state: [h], activations: [f] }) => [f!(add(x!, recurrent(h!)[0]!))],
};

/** Gates: input, output, forget, cell. */
const longShort: Cell = {
  type: "LSTM",
  gates: 4,
  activations: ["Sigmoid", "Tanh", "Tanh"],
  states: 2,
  step({ inputs, recurrent, state: [h, c], activations: [f, g, k], peepholes }) {
    const [i, o, forget, cell] = recurrent(h!).map((product, gate) => add(inputs[gate]!, product)) as [
      Tensor,
      Tensor,
      Tensor,
      Tensor,
    ];
    const seen = (gate: Tensor, p: number, value: Tensor) =>
      f!(peepholes === null ? gate : add(gate, mul(peepholes[p]!, value)));
    const next = add(mul(seen(forget, 2, c!), c!), mul(seen(i, 0, c!), g!(cell)));
    return [mul(seen(o, 1, next), k!(next)), next];
  },
};

/** Gates: update, reset, hidden. */
const gated: Cell = {
  type: "GRU",
  gates: 3,
  activations: ["Sigmoid", "Tanh"],
  states: 1,
  step({ inputs: [z, r, x], recurrent, state: [h], activations: [f, g], last, resetsAfter }) {
    const [pz, pr, ph] = recurrent(h!) as [Tensor, Tensor, Tensor];
    const [update, reset] = [f!(add(z!, pz)), f!(add(r!, pr))];
    const inner = resetsAfter ? mul(reset, ph) : last(mul(reset, h!));
    const fresh = g!(add(x!, inner));
    return [add(mul(sub(1, update), fresh), mul(update, h!))];
  },
};

function recurrent(cell: Cell): Operator {
  return {
    type: cell.type,
    build(node) {
      const { attributes } = node;
      const isBatchFirst = attributes.integer("layout", 0) !== 0;
      const given = node.floats(0);
      const x = isBatchFirst ? transpose(given, [1, 0, 2]) : given;
      const [t, n] = x.shape as [number, number];
      const hidden = node.shape(2)[2]!;
      spend("turns", t);
      checkLengths(node, t);
      const direction = node.attributes.string("direction", "forward");
      const backwards = tableEntry(DIRECTIONS, direction);
      if (backwards === undefined) {
        throw new InputError(`direction is "${direction}"; expected ${Object.keys(DIRECTIONS).join(", ")}`);
      }
      const numbersOf = (name: string) => (attributes.floats(name) ?? []).values();
      const [alphas, betas] = [numbersOf("activation_alpha"), numbersOf("activation_beta")];
      const listed = attributes.strings("activations") ?? [];
      const names = listed.length === 0 ? backwards.flatMap(() => cell.activations) : listed;
      if (names.length !== backwards.length * cell.activations.length) {
        throw new InputError(
          `activations are ${names.join(", ")}; expected ${backwards.length * cell.activations.length}`,
        );
      }
      const activations = names.map((name) => activationOf(name, alphas, betas));
      const runs = backwards.map((isBackwards, d) => {
        const own = activations.slice(d * cell.activations.length, (d + 1) * cell.activations.length);
        return runDirection(cell, node, x, own, { d, isBackwards, directions: backwards.length });
      });
      const states = Array.from({ length: cell.states }, (_, s) => stack(runs.map(({ last }) => last[s]!), 0));
      // [t, directions, n, hidden], or [n, t, directions, hidden]
      const outputs = runs.map(({ outputs }) => reshape(stack(outputs, 0), [t, 1, n, hidden]));
      const y = outputs.length === 1 ? outputs[0]! : concat(outputs, 1);
      return isBatchFirst
        ? [transpose(y, [2, 0, 1, 3]), ...states.map((state) => transpose(state, [1, 0, 2]))]
        : [y, ...states];
    },
  };
}

/** True for each direction that reads the sequence backwards, by the attribute `direction`. */
const DIRECTIONS: Readonly<Record<string, readonly boolean[]>> = {
  forward: [false],
  reverse: [true],
  bidirectional: [false, true],
};

/** @throws {InputError} unless all sequences have the length of the input */
function checkLengths(node: Application, t: number): void {
  const lengths = node.list(4, "the lengths of the sequences", Infinity);
  if (lengths !== null && lengths.some((length) => length !== t)) {
    throw new InputError(`sequences of ${formatShape(lengths)} positions; expected ${t}, the length of the input`);
  }
  const { attributes } = node;
  if (attributes.float("clip", 0) !== 0) throw new InputError("clip is not supported");
  attributes.only(0, "input_forget");
  const hidden = node.shape(2)[2]!;
  attributes.only(hidden, "hidden_size");
}

interface Direction {
  readonly d: number;
  readonly isBackwards: boolean;
  readonly directions: number;
}

function runDirection(
  cell: Cell,
  node: Application,
  x: Tensor,
  activations: readonly Unary[],
  { d, isBackwards, directions }: Direction,
) {
  const { gates, states } = cell;
  const [t, n] = x.shape as [number, number];
  const hidden = node.shape(2)[2]!;
  const part = (i: number) => {
    const whole = node.floats(i);
    const one = directions === 1 ? whole : slice(whole, [[d, d + 1]]);
    return reshape(one, one.shape.slice(1));
  };
  const [w, r] = [part(1), part(2)];
  const biases = node.has(3) ? split(part(3), 2, 0) as [Tensor, Tensor] : null;
  const products = matmul(x, w, { transposeB: true });
  const all = split(biases === null ? products : add(products, biases[0]), t, 0)
    .map((each) => split(reshape(each, [n, gates * hidden]), gates, 1));
  const rows = split(r, gates, 0);
  const lastBias = biases === null ? null : split(biases[1], gates, 0).at(-1)!;
  const firstState = (i: number) => node.has(5 + i) ? stateOf(node, 5 + i, d, directions) : null;
  const peepholes = states === 2 && node.has(7) ? split(part(7), 3, 0) : null;
  const zeros = mul(reshape(slice(all[0]![0]!, [null, [0, hidden]]), [n, hidden]), 0);
  let state: readonly Tensor[] = Array.from({ length: states }, (_, i) => firstState(i) ?? zeros);
  const outputs = new Array<Tensor>(t);
  for (let i = 0; i < t; i++) {
    const at = isBackwards ? t - 1 - i : i;
    state = cell.step({
      inputs: all[at]!,
      recurrent: (h) => {
        const product = matmul(h, r, { transposeB: true });
        return split(biases === null ? product : add(product, biases[1]), gates, 1);
      },
      last: (h) => {
        const product = matmul(h, rows.at(-1)!, { transposeB: true });
        return lastBias === null ? product : add(product, lastBias);
      },
      state,
      activations,
      peepholes,
      resetsAfter: cell.type === "GRU" && node.attributes.integer("linear_before_reset", 0) !== 0,
    });
    outputs[at] = state[0]!;
  }
  return { outputs, last: state };
}

/** Returns the state of a direction at the start, `[n, hidden]`. */
function stateOf(node: Application, i: number, d: number, directions: number): Tensor {
  const isBatchFirst = node.attributes.integer("layout", 0) !== 0;
  const whole = isBatchFirst ? transpose(node.floats(i), [1, 0, 2]) : node.floats(i);
  const one = directions === 1 ? whole : slice(whole, [[d, d + 1]]);
  return reshape(one, one.shape.slice(1));
}

export const RECURRENT: readonly Operator[] = [simple, longShort, gated].map(recurrent);
