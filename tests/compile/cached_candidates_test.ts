import assert from "node:assert/strict";
import { add, dropout, mul, tril } from "../../mod.ts";
import { cachedCandidates, candidatesOf } from "../../runtime/graph/candidates.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";

Deno.test("equal nodes share their kernels, and others get those generated for them", () => {
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor([4, 4], "f32"));
  const wide = graph.leaf("input", "wide", rowMajor([4, 8], "f32"));
  const halves = graph.leaf("input", "halves", rowMajor([4, 4], "f16"));
  const cached = cachedCandidates(DEFAULT_TRAITS);
  const kernelsOf = ({ node }: ReturnType<typeof add>) => {
    const plans = cached(node);
    assert.deepEqual(plans, candidatesOf(node, DEFAULT_TRAITS), node.id);
    return plans;
  };
  assert.equal(kernelsOf(add(x, x)), kernelsOf(add(x, mul(x, 2))));
  const different = [
    add(x, x),
    add(wide, wide),
    add(halves, halves),
    ...[-Infinity, Infinity, -0, 0].map((fill) => tril(x, { fill })),
    ...[0.25, 0.5].map((p) => dropout(p)(x)),
    // The same rate, but different random numbers
    dropout(0.5)(x),
  ].map(kernelsOf);
  assert.equal(new Set(different).size, different.length);
  const over = { output: 0, input: 0 };
  const { node } = add(x, x);
  assert.deepEqual(cached(node, over), candidatesOf(node, DEFAULT_TRAITS, over));
  assert.notEqual(cached(node, over), cached(node));
});
