import assert from "node:assert/strict";
import { gru, lstm, rnn } from "../../mod.ts";
import { checkLayer } from "../support/layer_case.ts";
import type { Values } from "../support/op_case.ts";
import { build, initializerOf } from "./building.ts";
import { refuses } from "../support/refuses.ts";

type Parameters = Readonly<Record<string, Values>>;

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const dot = (weight: Values, row: number, x: readonly number[]) =>
  x.reduce((sum, value, i) => sum + weight[row * x.length + i]! * value, 0);

/** One step of PyTorch's documentation of RNN, LSTM and GRU: products of all gates, and the state. */
const STEPS = {
  rnn: (x: number[], h: number[]) => ({ h: x.map((v, k) => Math.tanh(v + h[k]!)), c: [] as number[] }),
  lstm(x: number[], h: number[], c: number[]) {
    const n = c.length;
    const gate = (g: number, k: number) => x[g * n + k]! + h[g * n + k]!;
    const cell = c.map((before, k) => sigmoid(gate(1, k)) * before + sigmoid(gate(0, k)) * Math.tanh(gate(2, k)));
    return { h: cell.map((value, k) => sigmoid(gate(3, k)) * Math.tanh(value)), c: cell };
  },
  gru(x: number[], h: number[], _c: number[], before: number[]) {
    const n = before.length;
    return {
      h: before.map((old, k) => {
        const [r, z] = [sigmoid(x[k]! + h[k]!), sigmoid(x[n + k]! + h[n + k]!)];
        return (1 - z) * Math.tanh(x[2 * n + k]! + r * h[2 * n + k]!) + z * old;
      }),
      c: [],
    };
  },
};

/** Runs layers of one kind over `[n, t, features]` in f64. */
function reference(
  kind: keyof typeof STEPS,
  p: Parameters,
  [n, t, features]: readonly [number, number, number],
  { hidden, layers = 1, directions = [""], bias = true }: {
    hidden: number;
    layers?: number;
    directions?: string[];
    bias?: boolean;
  },
): Float64Array {
  const gates = { rnn: 1, lstm: 4, gru: 3 }[kind];
  let rows = Array.from(
    { length: n * t },
    (_, i) => Array.from({ length: features }, (_, k) => p["x"]![i * features + k]!),
  );
  for (let l = 0; l < layers; l++) {
    const outputs = rows.map(() => [] as number[]);
    for (const suffix of directions) {
      const of = (name: string) => p[`${kind}.${name}_l${l}${suffix}`]!;
      const at = (name: string, row: number) => bias ? of(name)[row]! : 0;
      for (let s = 0; s < n; s++) {
        let [h, c] = [new Array<number>(hidden).fill(0), new Array<number>(hidden).fill(0)];
        for (let i = 0; i < t; i++) {
          const place = s * t + (suffix === "" ? i : t - 1 - i);
          const all = Array.from({ length: gates * hidden }, (_, row) => row);
          const fromInput = all.map((row) => dot(of("weight_ih"), row, rows[place]!) + at("bias_ih", row));
          const fromState = all.map((row) => dot(of("weight_hh"), row, h) + at("bias_hh", row));
          ({ h, c } = STEPS[kind](fromInput, fromState, c, h));
          outputs[place]!.push(...h);
        }
      }
    }
    rows = outputs;
  }
  return Float64Array.from(rows.flat());
}

const SHAPE = [2, 3, 5] as const;

for (const [kind, make, gates] of [["rnn", rnn, 1], ["lstm", lstm, 4], ["gru", gru, 3]] as const) {
  Deno.test(`${kind}: output, gradients and parameters are PyTorch's`, async () => {
    const shapes = await checkLayer({
      name: kind,
      half: true,
      layer: make(4),
      shape: SHAPE,
      reference: (p) => reference(kind, p, SHAPE, { hidden: 4 }),
    });
    assert.deepEqual(shapes, {
      [`${kind}.weight_ih_l0`]: [gates * 4, 5],
      [`${kind}.weight_hh_l0`]: [gates * 4, 4],
      [`${kind}.bias_ih_l0`]: [gates * 4],
      [`${kind}.bias_hh_l0`]: [gates * 4],
    });
  });
}

Deno.test("two layers in both directions, without biases", async () => {
  const shapes = await checkLayer({
    name: "gru",
    half: true,
    layer: gru(3, { numLayers: 2, bidirectional: true, bias: false }),
    shape: SHAPE,
    reference: (p) => reference("gru", p, SHAPE, { hidden: 3, layers: 2, directions: ["", "_reverse"], bias: false }),
  });
  assert.deepEqual(
    Object.keys(shapes),
    ["ih_l0", "hh_l0", "ih_l0_reverse", "hh_l0_reverse", "ih_l1", "hh_l1", "ih_l1_reverse", "hh_l1_reverse"]
      .map((name) => `gru.weight_${name}`),
  );
  assert.deepEqual(shapes["gru.weight_ih_l1"], [9, 6]);
});

Deno.test("recurrent layers start within 1 / sqrt(hidden), and refuse inputs of another rank", () => {
  const built = build(lstm(16, { dropout: 0.5, numLayers: 2 }), [2, 3, 5]);
  assert.deepEqual(built.output.shape, [2, 3, 16]);
  assert.deepEqual(initializerOf(built, "lstm.weight_hh_l1"), { kind: "uniform", low: -0.25, high: 0.25 });
  assert.equal(built.graph.nodes.filter(({ op }) => op.type === "dropout").length, 1);
  refuses(
    () => build(lstm(4), [2, 3]),
    'model: layer "lstm": lstm expects an input [n, t, features], got [2, 3] (n, features)',
  );
  refuses(() => lstm(0), /hiddenSize is 0/);
});
