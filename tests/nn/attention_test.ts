import assert from "node:assert/strict";
import { type AttentionOptions, multiHeadAttention } from "../../mod.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { attentionReference, joinedLayout } from "../support/attention_reference.ts";
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

function reference(values: Readonly<Record<string, Values>>, options: AttentionOptions): Float64Array {
  const { heads, kvHeads = heads } = options;
  const named = (name: string) => values[`attention.${name}`]!;
  const qkv = projected(values["x"]!, named("in_proj_weight"), values["attention.in_proj_bias"], E).flat();
  const joined = attentionReference({ q: qkv, k: qkv, v: qkv }, joinedLayout(N, T, heads, kvHeads, E / heads), {
    causal: options.causal === true,
    window: options.window ?? 0,
  });
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
