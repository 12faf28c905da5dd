import assert from "node:assert/strict";
import { type AttentionOptions, multiHeadAttention } from "../../mod.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { checkLayer } from "../support/layer_case.ts";
import type { Values } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

const [N, T, E] = [2, 5, 12];

/** Returns x weight^T + bias for rows of `columns` numbers. */
function projected(x: Values, weight: Values, bias: Values | undefined, columns: number): number[][] {
  const out = weight.length / columns;
  return Array.from({ length: x.length / columns }, (_, row) =>
    Array.from({ length: out }, (_, o) => {
      let sum = bias?.[o] ?? 0;
      for (let i = 0; i < columns; i++) sum += x[row * columns + i]! * weight[o * columns + i]!;
      return sum;
    }));
}

/** Attention position by position and head by head, as the paper defines it. */
function reference(values: Readonly<Record<string, Values>>, options: AttentionOptions): Float64Array {
  const { heads, kvHeads = heads, causal = false, window = 0 } = options;
  const depth = E / heads;
  const named = (name: string) => values[`attention.${name}`]!;
  const qkv = projected(values["x"]!, named("in_proj_weight"), values["attention.in_proj_bias"], E);
  const part = (row: number, first: number, head: number) =>
    qkv[row]!.slice((first + head) * depth, (first + head + 1) * depth);
  const joined = new Float64Array(N * T * E);
  for (let n = 0; n < N; n++) {
    for (let head = 0; head < heads; head++) {
      const shared = Math.floor(head * kvHeads / heads);
      for (let t = 0; t < T; t++) {
        const q = part(n * T + t, 0, head);
        const powers = Array.from({ length: T }, (_, s) => {
          if (causal && (s > t || (window > 0 && s <= t - window))) return 0;
          const k = part(n * T + s, heads, shared);
          return Math.exp(q.reduce((sum, value, i) => sum + value * k[i]!, 0) / Math.sqrt(depth));
        });
        const total = powers.reduce((a, b) => a + b, 0);
        powers.forEach((power, s) => {
          const v = part(n * T + s, heads + kvHeads, shared);
          v.forEach((value, i) => joined[(n * T + t) * E + head * depth + i]! += power / total * value);
        });
      }
    }
  }
  return Float64Array.from(projected(joined, named("out_proj.weight"), values["attention.out_proj.bias"], E).flat());
}

const CASES: readonly AttentionOptions[] = [
  { heads: 3 },
  { heads: 4, causal: true, bias: false },
  { heads: 4, kvHeads: 2, causal: true, window: 2 },
  { heads: 3, kvHeads: 1 },
];

for (const options of CASES) {
  Deno.test(`attention with ${JSON.stringify(options)} matches the reference`, async () => {
    const shapes = await checkLayer({
      name: JSON.stringify(options),
      layer: multiHeadAttention(options),
      shape: [N, T, E],
      reference: (values) => reference(values, options),
    });
    const { heads, kvHeads = heads, bias = true } = options;
    const rows = E + 2 * kvHeads * E / heads;
    assert.deepEqual(shapes, {
      "attention.in_proj_weight": [rows, E],
      ...(bias ? { "attention.in_proj_bias": [rows] } : {}),
      "attention.out_proj.weight": [E, E],
      ...(bias ? { "attention.out_proj.bias": [E] } : {}),
    });
  });
}

Deno.test("attention refuses options and inputs that do not fit", () => {
  refuses(() => multiHeadAttention({ heads: 4, kvHeads: 3 }), /kvHeads.*divisor of heads/s);
  refuses(() => multiHeadAttention({ heads: 4, window: 3 }), /window.*unless causal/s);
  const x = new Graph().leaf("input", "x", rowMajor([2, 5, 10], "f32"));
  refuses(() => multiHeadAttention({ heads: 4 })(x), /layer "attention": .* a multiple of 4 heads, got \[2, 5, 10\]/);
});
