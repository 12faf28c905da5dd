import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { cast } from "../../ops/cast.ts";
import { copy } from "../../ops/copy.ts";
import { relu } from "../../ops/relu.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { evaluate } from "../support/evaluate.ts";
import { full } from "../support/full.ts";
import { checkOp, everyCandidate, normals, rounded } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

const SHAPES = [[1], [5], [3, 7], [2, 5, 3, 7], [33, 13, 5], [1025]];

Deno.test("add and its gradient match the reference", async () => {
  for (const shape of SHAPES) {
    await checkOp({
      name: `${shape}`,
      inputs: { a: { shape }, b: { shape } },
      build: ({ a, b }) => add(a, b),
      reference: ({ a, b }) => Float64Array.from(a, (x, i) => x + b[i]!),
    });
  }
});

Deno.test("elementwise ops of many elements process each element once", async () => {
  const n = 4 * ((1 << 20) + 1500) + 3;
  for (const dtype of full ? ["f32", "f16"] as const : ["f32"] as const) {
    const graph = new Graph();
    const [a, b] = [graph.leaf("input", "a", rowMajor([n], dtype)), graph.leaf("input", "b", rowMajor([n], dtype))];
    const values = { a: rounded(normals(n, 1), dtype), b: rounded(normals(n, 2), dtype) };
    const leaves = new Map<string, ArrayLike<number>>(Object.entries(values));
    const outputs = [add(a, b), relu(a), cast(b, dtype === "f32" ? "f16" : "f32")];
    const want = [
      rounded(Float64Array.from(values.a, (x, i) => x + values.b[i]!), dtype),
      values.a.map((x) => Math.max(x, 0)),
      rounded(values.b, outputs[2]!.dtype),
    ];
    await everyCandidate(async (options, where) => {
      const got = await evaluate(outputs, leaves, options);
      for (const [i, values] of want.entries()) {
        const wrong = got[i]!.findIndex((value, at) => value !== values[at]);
        assert.equal(wrong, -1, `${outputs[i]!.node.op.type}, ${dtype}, ${where}`);
      }
    });
  }
});

Deno.test("add of a tensor and itself doubles it", async () => {
  await checkOp({
    name: "x + x",
    inputs: { x: { shape: [7] } },
    build: ({ x }) => add(x, x),
    reference: ({ x }) => Float64Array.from(x, (x) => 2 * x),
  });
});

Deno.test("add rejects different shapes and types and names both", () => {
  const graph = new Graph();
  const leaf = (name: string, shape: number[], dtype: "f32" | "f16" | "i32" = "f32") =>
    graph.leaf("input", name, activation(shape, dtype));
  refuses(
    () => add(leaf("a", [2, 3, 4, 4]), leaf("b", [2, 6, 2, 2])),
    /\[2, 3, 4, 4\] and \[2, 6, 2, 2\].* same channels/,
  );
  refuses(() => add(leaf("a", [2, 3, 4, 4]), leaf("c", [2, 3, 4, 4], "f16")), /f32 and f16; cast one of them/);
  refuses(() => add(leaf("i", [1], "i32"), leaf("j", [1])), /f32 or f16, got i32\[1\]; cast it first/);
});

Deno.test("cast rounds to nearest and casts the gradient back", async () => {
  for (const shape of SHAPES) {
    for (const [from, to] of [["f32", "f16"], ["f16", "f32"]] as const) {
      await checkOp({
        name: `${shape} from ${from} to ${to}`,
        inputs: { x: { shape, dtype: from } },
        build: ({ x }) => cast(x, to),
        reference: ({ x }) => x,
        dtypes: ["f32"],
      });
      const graph = new Graph();
      const y = cast(graph.leaf("input", "x", activation(shape, from)), to);
      const values = rounded(normals(sizeOf(shape), 2), from);
      await everyCandidate(async (options, where) => {
        const [got] = await evaluate([y], new Map([["x", values]]), options);
        assert.deepEqual(got, rounded(values, to), where);
      });
    }
  }
});

Deno.test("cast widens every f16 exactly on software adapters", async () => {
  const all = Float64Array.from(new Float16Array(Uint16Array.from({ length: 65536 }, (_, bits) => bits).buffer));
  const x = new Graph().leaf("input", "x", rowMajor([all.length], "f16"));
  const [got] = await evaluate([cast(x, "f32")], new Map([["x", all]]), { traits: { class: "cpu" } });
  assert.deepEqual([...got!], [...all]); // arrays, so that all NaNs are equal
});

Deno.test("cast rounds to the nearest f16, ties to even, between any two f16 on software adapters", async () => {
  const halves = new Float16Array(Uint16Array.from({ length: 0x7c00 }, (_, bits) => bits).buffer);
  const values: number[] = [NaN, Infinity, -Infinity, 3e38, 65519.996, 65520, 1e-45, -1e-45, -0];
  const bits = new Int32Array(1);
  const near = new Float32Array(bits.buffer);
  halves.forEach((half, i) => {
    near[0] = (half + (halves[i + 1] ?? 65536)) / 2; // exact in f32
    for (const step of [0, -1, 2]) {
      bits[0]! += step;
      values.push(near[0]!, -near[0]!);
    }
  });
  const x = new Graph().leaf("input", "x", rowMajor([values.length], "f32"));
  const [got] = await evaluate([cast(x, "f16")], new Map([["x", values]]), { traits: { class: "cpu" } });
  assert.deepEqual([...got!], [...rounded(values, "f16")]);
});

Deno.test("cast to the tensor's own type returns the tensor", () => {
  const x = new Graph().leaf("input", "x", rowMajor([3], "f32"));
  assert.equal(cast(x, "f32"), x);
});

Deno.test("copy preserves every bit", async () => {
  for (const shape of SHAPES) {
    await checkOp({
      name: `${shape}`,
      inputs: { x: { shape } },
      build: ({ x }) => copy(x),
      reference: ({ x }) => x,
    });
  }
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor([7], "u32"));
  const values = [0, 1, 0xffffffff, 0x7fc00001, 0x80000000, 5, 6];
  await everyCandidate(async (options, where) => {
    const [got] = await evaluate([copy(x)], new Map([["x", values]]), options);
    assert.deepEqual([...got!], values, where);
  });
});
