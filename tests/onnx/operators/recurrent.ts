/** References of recurrent networks. */
import type { FileAttribute } from "../../support/onnx_file.ts";
import { type DrawCase, range, read, sum } from "./draw.ts";

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** Activations of recurrent networks with the numbers that they take, if any. */
const GATES: readonly (readonly [string, number, (x: number, alpha: number) => number])[] = [
  ["Sigmoid", 0, sigmoid],
  ["Tanh", 0, Math.tanh],
  ["Relu", 0, (x) => Math.max(0, x)],
  ["LeakyRelu", 1, (x, alpha) => x < 0 ? alpha * x : x],
  ["Elu", 1, (x, alpha) => x < 0 ? alpha * Math.expm1(x) : x],
];

function recurrent(type: "RNN" | "GRU" | "LSTM"): [string, DrawCase] {
  return [type, (draw) => {
    const [t, n, features, hidden] = [draw.whole(1, 3), draw.whole(1, 2), draw.whole(1, 3), draw.whole(1, 3)];
    const gates = { RNN: 1, GRU: 3, LSTM: 4 }[type];
    const direction = draw.pick(["forward", "reverse", "bidirectional"]);
    const directions = direction === "bidirectional" ? 2 : 1;
    const x = draw.floats([t, n, features]);
    const [w, r] = [
      draw.floats([directions, gates * hidden, features]),
      draw.floats([directions, gates * hidden, hidden]),
    ];
    const b = draw.chance() ? draw.floats([directions, 2 * gates * hidden]) : null;
    const resets = type === "GRU" ? draw.whole(0, 1) : 0;
    const defaults = { RNN: ["Tanh"], GRU: ["Sigmoid", "Tanh"], LSTM: ["Sigmoid", "Tanh", "Tanh"] }[type];
    const own = draw.chance(0.4);
    const chosen = range(directions * defaults.length).map((i) =>
      own ? draw.pick(GATES) : GATES.find(([name]) => name === defaults[i % defaults.length])!
    );
    const numbers = chosen.filter(([, count]) => count === 1).map(() => draw.uniform(0.1, 0.5));
    const left = numbers.values();
    const functions = chosen.map(([, count, of]) => {
      const alpha = count === 1 ? left.next().value! : 0;
      return (value: number) => of(value, alpha);
    });
    const outputs = new Array<number>(t * directions * n * hidden).fill(0);
    for (const d of range(directions)) {
      const [f, g, k] = functions.slice(d * defaults.length, (d + 1) * defaults.length);
      const backwards = direction === "reverse" || d === 1;
      for (const sample of range(n)) {
        let h = new Array<number>(hidden).fill(0);
        let c = new Array<number>(hidden).fill(0);
        for (const step of range(t)) {
          const at = backwards ? t - 1 - step : step;
          const bias = (row: number, half: number) => b === null ? 0 : read(b, [d, half * gates * hidden + row]);
          const input = (row: number) =>
            sum(range(features).map((i) => read(w, [d, row, i]) * read(x, [at, sample, i]))) + bias(row, 0);
          const product = (row: number, state: readonly number[]) =>
            sum(range(hidden).map((i) => read(r, [d, row, i]) * state[i]!)) + bias(row, 1);
          const gate = (g: number, u: number, state = h) => input(g * hidden + u) + product(g * hidden + u, state);
          if (type === "RNN") h = range(hidden).map((u) => f!(gate(0, u)));
          else if (type === "LSTM") {
            const before = h;
            c = range(hidden).map((u) =>
              f!(gate(2, u, before)) * c[u]! + f!(gate(0, u, before)) * g!(gate(3, u, before))
            );
            h = range(hidden).map((u) => f!(gate(1, u, before)) * k!(c[u]!));
          } else {
            const before = h;
            const reset = range(hidden).map((u) => f!(gate(1, u, before)));
            h = range(hidden).map((u) => {
              const update = f!(gate(0, u, before));
              const inner = resets === 1
                ? reset[u]! * product(2 * hidden + u, before)
                : product(2 * hidden + u, before.map((v, i) => v * reset[i]!));
              return (1 - update) * g!(input(2 * hidden + u) + inner) + update * before[u]!;
            });
          }
          h.forEach((value, u) => outputs[((at * directions + d) * n + sample) * hidden + u] = value);
        }
      }
    }
    const attributes: Record<string, FileAttribute> = {
      hidden_size: hidden,
      direction,
      ...type === "GRU" ? { linear_before_reset: resets } : {},
      ...own ? { activations: { strings: chosen.map(([name]) => name) } } : {},
      ...numbers.length > 0 ? { activation_alpha: { floats: numbers } } : {},
    };
    return {
      inputs: [x, w, r, b],
      attributes,
      want: [{ shape: [t, directions, n, hidden], values: outputs }],
      elements: 1e-3,
      slack: 1e-4,
    };
  }];
}

export const RECURRENT: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  recurrent("RNN"),
  recurrent("GRU"),
  recurrent("LSTM"),
]);
