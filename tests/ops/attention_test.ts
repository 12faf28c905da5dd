import { type AttentionAttrs, tiledAttention } from "../../ops/attention.ts";
import { reshape } from "../../ops/reshape.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Node, Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { attentionReference, joinedLayout, separateLayout } from "../support/attention_reference.ts";
import { evaluate } from "../support/evaluate.ts";
import { fullTest, sampled } from "../support/full.ts";
import { assertClose, checkOp, everyCandidate, normals } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

const TOLERANCE = { f32: 2e-5, f16: 6e-3 };

function attrsOf(attrs: Partial<AttentionAttrs> & Pick<AttentionAttrs, "heads">): AttentionAttrs {
  return {
    order: "heads",
    kvHeads: attrs.heads,
    scale: 0.4,
    causal: false,
    window: 0,
    dropout: 0,
    key: 0,
    ...attrs,
  };
}

interface SeparateCase {
  readonly q: Shape;
  readonly k: Shape;
  readonly v: Shape;
  readonly attrs: AttentionAttrs;
  readonly dtypes: readonly FloatType[];
  readonly choices?: number;
}

/** Shapes around the sizes of tiles, and widths that are no multiple of four. */
const CASES: readonly SeparateCase[] = [
  { q: [2, 2, 37, 8], k: [2, 2, 37, 8], v: [2, 2, 37, 8], attrs: attrsOf({ heads: 2, causal: true }), dtypes: ["f32"] },
  {
    q: [1, 4, 69, 8],
    k: [1, 2, 69, 8],
    v: [1, 2, 69, 8],
    attrs: attrsOf({ heads: 4, kvHeads: 2, causal: true, window: 6 }),
    dtypes: ["f32"],
  },
  {
    q: [1, 3, 7, 6],
    k: [1, 1, 70, 6],
    v: [1, 1, 70, 5],
    attrs: attrsOf({ heads: 3, kvHeads: 1 }),
    dtypes: ["f32", "f16"],
    choices: 1,
  },
  {
    q: [1, 1, 70, 8],
    k: [1, 1, 9, 8],
    v: [1, 1, 9, 8],
    attrs: attrsOf({ heads: 1, causal: true, window: 4 }),
    dtypes: ["f32"],
  },
  {
    q: [1, 40, 2, 8],
    k: [1, 40, 2, 8],
    v: [1, 40, 2, 8],
    attrs: attrsOf({ heads: 2, order: "positions", causal: true }),
    dtypes: ["f32"],
  },
];

for (const { q, k, v, attrs, ...limits } of sampled(CASES, 2, { seed: 1 })) {
  const name = `[${q}] of [${k}], ${JSON.stringify(attrs)}`;
  Deno.test(`tiled attention and its gradients match the reference: ${name}`, async () => {
    const order = attrs.order === "heads" ? "heads" : "positions";
    await checkOp({
      name,
      inputs: { q: { shape: [sizeOf(q)] }, k: { shape: [sizeOf(k)] }, v: { shape: [sizeOf(v)] } },
      build: (x) => tiledAttention([reshape(x.q, q), reshape(x.k, k), reshape(x.v, v)], attrs),
      reference: (values) => attentionReference(values, separateLayout(q, k, v, order), attrs),
      tolerance: TOLERANCE,
      samples: 12,
      ...limits,
    });
  });
}

Deno.test("queries, keys and values side by side in one tensor match the reference, as does their joint gradient", async () => {
  const [n, t, heads, kvHeads, features] = [2, 35, 4, 2, 8];
  const attrs = attrsOf({ order: "joined", heads, kvHeads, causal: true });
  const layout = joinedLayout(n, t, heads, kvHeads, features);
  await checkOp({
    name: "joined",
    inputs: { x: { shape: [n, t, (heads + 2 * kvHeads) * features] } },
    build: ({ x }) => tiledAttention([x], attrs),
    reference: ({ x }) => attentionReference({ q: x, k: x, v: x }, layout, attrs),
    tolerance: TOLERANCE,
    dtypes: ["f16"],
    choices: 1,
  });
});

Deno.test("dropout of tiled attention draws as a tensor of all weights would, again in the backward pass", async () => {
  const shape = [1, 2, 37, 8] as const;
  const p = 0.3;
  const attrs = attrsOf({ heads: 2, causal: true, dropout: p, key: 77 });
  const random = new RandomStream(1, 0, 77);
  const draws = Array.from({ length: 2 * 37 * 37 }, () => random.uniform() < p ? 0 : 1 / (1 - p));
  const layout = separateLayout(shape, shape, shape, "heads");
  await checkOp({
    name: "dropout",
    inputs: { q: { shape: [sizeOf(shape)] }, k: { shape: [sizeOf(shape)] }, v: { shape: [sizeOf(shape)] } },
    build: ({ q, k, v }) => tiledAttention([q, k, v].map((x) => reshape(x, shape)), attrs),
    reference: (values) => attentionReference(values, layout, { ...attrs, kept: (e) => draws[e]! }),
    tolerance: TOLERANCE,
    samples: 12,
    dtypes: ["f32"],
    choices: 1,
  });
});

fullTest("wide heads are divided among workgroups", async () => {
  const shape = [1, 1, 5, 140] as const;
  const attrs = attrsOf({ heads: 1, scale: 0.08 });
  const graph = new Graph();
  const [q, k, v] = ["q", "k", "v"].map((name) => graph.leaf("input", name, rowMajor(shape, "f32")));
  const y = tiledAttention([q!, k!, v!], attrs);
  const values = ["q", "k", "v"].map((_, i) => normals(sizeOf(shape), i));
  const want = attentionReference(
    { q: values[0]!, k: values[1]!, v: values[2]! },
    separateLayout(shape, shape, shape, "heads"),
    attrs,
  );
  const leaves = new Map(["q", "k", "v"].map((name, i) => [name, values[i]!]));
  for (const deviceClass of ["cpu", "gpu"] as const) {
    const pick = (_node: Node, candidates: readonly KernelPlan[]) => candidates.length - 1;
    const [got] = await evaluate([y], leaves, { traits: { class: deviceClass }, pick });
    assertClose(got!, want, TOLERANCE.f32, deviceClass);
  }
});

Deno.test("tensors that do not fit together are refused", () => {
  const graph = new Graph();
  const leaf = (name: string, ...shape: number[]) => graph.leaf("input", name, rowMajor(shape, "f32"));
  const refused = (inputs: readonly Tensor[], attrs: AttentionAttrs, message: RegExp) =>
    refuses(() => tiledAttention(inputs, attrs), message);
  const [q, k] = [leaf("q", 1, 2, 5, 4), leaf("k", 1, 2, 6, 3)];
  refused([q, k, k], attrsOf({ heads: 2 }), /fit together, got \[1, 2, 5, 4\], \[1, 2, 6, 3\]/);
  refused([q, q, q], attrsOf({ heads: 2, kvHeads: 3 }), /divides 2 query heads, got 3/);
});

Deno.test("scores that are all very low have weights", async () => {
  const shape = [1, 1, 70, 4] as const;
  const attrs = attrsOf({ heads: 1, causal: true, scale: 1 });
  const values = normals(280, 3);
  await everyCandidate(async (options, where) => {
    const graph = new Graph("infer");
    const [q, k, v] = ["q", "k", "v"].map((name) => graph.leaf("input", name, rowMajor(shape, "f32")));
    const y = tiledAttention([q!, k!, v!], attrs);
    // All scores are -4e36, so that each position takes the mean of those up to it
    const leaves = new Map<string, ArrayLike<number>>([["q", new Array<number>(280).fill(1e18)], [
      "k",
      new Array<number>(280).fill(-1e18),
    ], [
      "v",
      values,
    ]]);
    const [found] = await evaluate([y], leaves, options);
    const means = found!.map((_, i) => {
      const seen = values.filter((_, j) => j % 4 === i % 4 && j <= i);
      return seen.reduce((a, b) => a + b) / seen.length;
    });
    assertClose(found!, means, 1e-5, where);
  });
});
