import assert from "node:assert/strict";
import { multiHeadAttention, sinusoidalPositions } from "../../mod.ts";
import { rotary } from "../../ops/rotary.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { build } from "../nn/building.ts";
import { evaluate } from "../support/evaluate.ts";
import { assertClose, checkOp, everyCandidate, normals, type Values } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

/** Rotates pairs of features by complex numbers e^(i p base^(-2k / d)). */
function rotated(x: Values, shape: readonly number[], axis: number, base: number, interleaved: boolean): Float64Array {
  const features = shape.at(-1)!;
  const inner = sizeOf(shape.slice(axis + 1));
  const y = new Float64Array(x.length);
  for (let row = 0; row < x.length / features; row++) {
    const position = Math.floor(row * features / inner) % shape[axis]!;
    for (let k = 0; k < features / 2; k++) {
      const angle = position * base ** (-2 * k / features);
      const [a, b] = (interleaved ? [2 * k, 2 * k + 1] : [k, k + features / 2]).map((i) => row * features + i);
      y[a!] = x[a!]! * Math.cos(angle) - x[b!]! * Math.sin(angle);
      y[b!] = x[b!]! * Math.cos(angle) + x[a!]! * Math.sin(angle);
    }
  }
  return y;
}

Deno.test("rotary rotates pairs of features by angles of the position, and its gradient back", async () => {
  for (const [shape, axis] of [[[2, 5, 6], 1], [[3, 2, 7, 10], 2], [[2, 3, 2, 8], 1]] as const) {
    for (const interleaved of [false, true]) {
      const base = interleaved ? 100 : 10_000;
      await checkOp({
        name: `rotary of ${shape} along ${axis}, ${JSON.stringify({ interleaved, base })}`,
        inputs: { x: { shape } },
        build: ({ x }) => rotary(x, axis, { interleaved, base }),
        reference: ({ x }) => rotated(x, shape, axis, base, interleaved),
        samples: 12,
      });
    }
  }
});

Deno.test("linear scaling divides positions", async () => {
  const graph = new Graph();
  const shape = [9, 6];
  const scaling = { type: "linear", factor: 4 } as const;
  const y = rotary(graph.leaf("input", "x", rowMajor(shape, "f32")), 0, { base: 100, scaling });
  const x = normals(54, 3);
  const [got] = await evaluate([y], new Map([["x", x]]));
  // Position 8 of a stretched context has the angles of position 2
  const want = rotated(x.map((_, i) => x[48 + i % 6]!), shape, 0, 100, false).slice(12, 18);
  assertClose(got!.slice(48), want, 1e-6, "position 8");
});

Deno.test("angles are precise at late positions", async () => {
  const graph = new Graph();
  const [positions, features] = [20_001, 4];
  const y = rotary(graph.leaf("input", "x", rowMajor([positions, features], "f32")), 0, {});
  const x = new Float64Array(positions * features).fill(1);
  await everyCandidate(async (options, where) => {
    const [got] = await evaluate([y], new Map([["x", x]]), options);
    // The angle's rest, below 2^-10 a position, is rounded three times: 20 * 3 * 2^-24 turns are 2.3e-5
    assertClose(got!, rotated(x, [positions, features], 0, 10_000, false), 2.5e-5, where);
  });
});

Deno.test("sinusoidalPositions adds sines and cosines of the position", async () => {
  for (const shape of [[2, 5, 6], [1, 70, 3]]) {
    const [t, features] = shape.slice(1) as [number, number];
    await checkOp({
      name: `positions of ${shape}`,
      inputs: { x: { shape } },
      build: ({ x }) => sinusoidalPositions()(x),
      reference: ({ x }) =>
        Float64Array.from(x, (value, i) => {
          const feature = i % features;
          const angle = Math.floor(i / features) % t * 10_000 ** (-2 * Math.floor(feature / 2) / features);
          return value + (feature % 2 === 0 ? Math.sin(angle) : Math.cos(angle));
        }),
      samples: 12,
    });
  }
});

Deno.test("attention rotates queries and keys, so that its weights depend on distances only", async () => {
  const graph = new Graph();
  const [n, t, features] = [1, 6, 8];
  const x = graph.leaf("input", "x", rowMajor([n, t, features], "f32"));
  const y = multiHeadAttention({ heads: 2, rotary: true, bias: false })(x);
  const own = normals(features, 3);
  const values = { x: Float64Array.from({ length: t * features }, (_, i) => own[i % features]!) } as Record<
    string,
    Values
  >;
  for (const { node, shape } of graph.leaves("parameter")) values[node.id] = normals(sizeOf(shape), 5);
  const [got] = await evaluate([y], new Map(Object.entries(values)));
  // Equal inputs have equal values, whatever their weights
  assertClose(got!.slice(features), got!.slice(0, (t - 1) * features), 1e-5, "equal inputs");
  const types = (options: object) =>
    new Set(build(multiHeadAttention({ heads: 2, ...options }), [2, 4, 8]).graph.nodes.map(({ op }) => op.type));
  assert.ok(types({ rotary: { base: 500_000 } }).has("rotary"));
  assert.ok(!types({}).has("rotary"));
});

Deno.test("rotary refuses an odd number of features and unknown dimensions", () => {
  const x = new Graph().leaf("input", "x", rowMajor([2, 3, 5], "f32"));
  refuses(() => rotary(x, 1), /even number of features.*\[2, 3, 5\]/);
  assert.throws(() => multiHeadAttention({ heads: 2, rotary: { base: 1 } }), /rotary/);
});
