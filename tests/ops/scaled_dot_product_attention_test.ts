import assert from "node:assert/strict";
import { scaledDotProductAttention, type ScaledDotProductAttentionOptions } from "../../mod.ts";
import { reshape } from "../../ops/reshape.ts";
import { attentionForm } from "../../ops/scaled_dot_product_attention.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { type AttentionSetting, rowMajor } from "../../runtime/graph/types.ts";
import { type AttentionCase, attentionReference, separateLayout } from "../support/attention_reference.ts";
import { evaluate } from "../support/evaluate.ts";
import { assertClose, checkOp, normals } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

const [Q, K, V]: readonly Shape[] = [[2, 4, 9, 8], [2, 2, 7, 8], [2, 2, 7, 8]];

/** Returns the types of the nodes that the setting adds. */
function typesOf(setting: AttentionSetting, shape: Shape, options: ScaledDotProductAttentionOptions = {}): Set<string> {
  const graph = new Graph("train", "nhwc", setting);
  const [q, k, v] = ["q", "k", "v"].map((name) => graph.leaf("input", name, rowMajor(shape, "f32")));
  scaledDotProductAttention(q!, k!, v!, options);
  return new Set(graph.nodes.map(({ op }) => op.type));
}

Deno.test("attention of queries to fewer keys and heads matches the reference", async () => {
  const cases: readonly AttentionCase[] = [{}, { causal: true, scale: 0.2 }, { causal: true, window: 3 }];
  for (const options of cases) {
    await checkOp({
      name: JSON.stringify(options),
      inputs: { q: { shape: [sizeOf(Q!)] }, k: { shape: [sizeOf(K!)] }, v: { shape: [sizeOf(V!)] } },
      build: ({ q, k, v }) => scaledDotProductAttention(reshape(q, Q!), reshape(k, K!), reshape(v, V!), options),
      reference: (values) => attentionReference(values, separateLayout(Q!, K!, V!, "heads"), options),
      tolerance: { f32: 2e-5 },
      samples: 12,
      dtypes: ["f32"],
    });
  }
});

Deno.test("both forms compute the same, of tensors with heads and without", async () => {
  for (const shape of [[2, 3, 37, 8], [3, 37, 8]]) {
    const values = new Map(["q", "k", "v"].map((name, i) => [name, normals(sizeOf(shape), i)]));
    const [composed, tiled] = await Promise.all((["composed", "tiled"] as const).map(async (setting) => {
      const graph = new Graph("train", "nhwc", setting);
      const [q, k, v] = ["q", "k", "v"].map((name) => graph.leaf("input", name, rowMajor(shape, "f32")));
      const y = scaledDotProductAttention(q!, k!, v!, { causal: true, dropout: 0.25 });
      assert.deepEqual(y.shape, shape);
      return (await evaluate([y], values, { seed: 3, step: 2 }))[0]!;
    }));
    assertClose(tiled!, composed!, 1e-5, `[${shape}]`);
  }
});

Deno.test("a mask is added to the scaled scores", async () => {
  const shape = [1, 2, 3, 4];
  const graph = new Graph();
  const [q, k, v] = ["q", "k", "v"].map((name) => graph.leaf("input", name, rowMajor(shape, "f32")));
  const mask = graph.leaf("input", "mask", rowMajor([3, 3], "f32"));
  const masked = scaledDotProductAttention(q!, k!, v!, { mask });
  const causal = scaledDotProductAttention(q!, k!, v!, { causal: true });
  const leaves = new Map<string, ArrayLike<number>>(["q", "k", "v"].map((name, i) => [name, normals(24, i)]));
  leaves.set("mask", [0, -Infinity, -Infinity, 0, 0, -Infinity, 0, 0, 0]);
  const [a, b] = await evaluate([masked, causal], leaves);
  assertClose(a!, b!, 1e-6, "mask of later keys");
});

Deno.test("the setting chooses the form; auto tiles many keys, or many weights", () => {
  const shape = [1, 2, 16, 8];
  assert.ok(typesOf("composed", shape).has("softmax"));
  assert.ok(typesOf("tiled", shape).has("tiled_attention"));
  assert.ok(typesOf("auto", shape).has("softmax"));
  assert.ok(typesOf("auto", [1, 2, 63, 8]).has("softmax"));
  assert.ok(typesOf("auto", [1, 2, 64, 8]).has("tiled_attention"));
  const graph = new Graph();
  const many = { graph, dtype: "f32" } as const;
  assert.equal(attentionForm(many, { n: 8192, heads: 1, queries: 64, keys: 32 }), "composed");
  assert.equal(attentionForm(many, { n: 8193, heads: 1, queries: 64, keys: 32 }), "tiled");
});

Deno.test("shapes and options that do not fit are refused", () => {
  const graph = new Graph("train", "nhwc", "tiled");
  const leaf = (...shape: number[]) => graph.leaf("input", `${shape}`, rowMajor(shape, "f32"));
  const refused = (tensors: readonly Tensor[], options: ScaledDotProductAttentionOptions, message: RegExp) =>
    refuses(() => scaledDotProductAttention(tensors[0]!, tensors[1]!, tensors[2]!, options), message);
  const q = leaf(2, 4, 5, 8);
  refused([q, leaf(2, 3, 5, 8), leaf(2, 3, 5, 8)], {}, /kvHeads to divide heads, got \[2, 4, 5, 8\], \[2, 3, 5, 8\]/);
  refused([q, q, leaf(2, 4, 6, 8)], {}, /values \[n, kvHeads, s, e\]/);
  refused([leaf(5, 8), leaf(5, 8), leaf(5, 8)], {}, /expects queries \[n, heads, t, d\]/);
  refused([q, q, q], { window: 2 }, /0 unless causal is true, got 2/);
  refused([q, q, q], { dropout: 1 }, /probability/);
  refused([q, q, q], { scale: Infinity }, /finite scale/);
  refused([q, q, q], { mask: leaf(5, 5) }, /cannot tile attention with a mask; set compile.attention to "auto"/);
});
