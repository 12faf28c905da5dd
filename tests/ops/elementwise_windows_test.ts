/** Elementwise kernels that read windows of their tensors as uniforms. */
import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { mul } from "../../ops/arithmetic.ts";
import { relu } from "../../ops/relu.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../../runtime/device/traits.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { candidatesOf, evaluate, testDevice } from "../support/evaluate.ts";
import { assertClose, normals, rounded } from "../support/op_case.ts";

const { traits: own } = await testDevice();
const SIMD: DeviceTraits = { ...DEFAULT_TRAITS, class: "cpu", subgroupSize: 8 };
/** Three windows of f32. */
const SHAPE = [3, 128, 128] as const;

function leaf(graph: Graph, name: string, dtype: FloatType, shape: readonly number[] = SHAPE): Tensor {
  return graph.leaf("input", name, rowMajor(shape, dtype));
}

for (const dtype of ["f32", "f16"] as const) {
  Deno.test({
    name: `${dtype} tensors of several windows are added, multiplied and rectified`,
    ignore: own.subgroupSize !== 8 || (dtype === "f16" && !own.f16),
    async fn() {
      const graph = new Graph();
      const [x, y] = [leaf(graph, "x", dtype), leaf(graph, "y", dtype)];
      const outputs = [add(x, y), mul(x, y), relu(x)];
      const [a, b] = [7, 8].map((seed) => rounded(normals(sizeOf(SHAPE), seed), dtype)) as [Float64Array, Float64Array];
      const got = await evaluate(outputs, new Map([["x", a], ["y", b]]), {
        traits: { class: "cpu", subgroupSize: 8 },
      });
      const want = [a.map((v, i) => v + b[i]!), a.map((v, i) => v * b[i]!), a.map((v) => Math.max(v, 0))];
      for (const [i, values] of want.entries()) {
        assertClose(got[i]!, values, dtype === "f32" ? 1e-6 : 1e-3, outputs[i]!.node.op.type);
      }
    },
  });
}

Deno.test("large elementwise ops of software adapters with 8 lanes read windows, others do not", () => {
  const planOf = (tensor: Tensor, traits = SIMD) => candidatesOf(tensor, traits)[0]!;
  for (const [dtype, numbers] of [["f32", 16384], ["f16", 24576]] as const) {
    const graph = new Graph();
    const { name, kernels: [kernel] } = planOf(add(leaf(graph, "x", dtype), leaf(graph, "y", dtype)));
    const size = dtype === "f32" ? 4 : 2;
    assert.match(name, /^add\./);
    assert.equal(kernel!.slices!.length, sizeOf(SHAPE) / numbers);
    for (const { access, window } of kernel!.bindings) assert.equal(window, numbers * size, access);
    assert.deepEqual(kernel!.bindings.map(({ access }) => access), ["uniform", "uniform", "read_write"]);
    assert.deepEqual(kernel!.slices![1], Array(3).fill(numbers * size));
  }
  const graph = new Graph();
  const windowed = (tensor: Tensor, traits = SIMD) => planOf(tensor, traits).kernels.some(({ slices }) => slices);
  const x = leaf(graph, "x", "f32");
  assert.ok(windowed(relu(x)));
  assert.ok(!windowed(add(x, leaf(graph, "row", "f32", [128]))), "a broadcast input is read in another order");
  assert.ok(!windowed(relu(leaf(graph, "small", "f32", [64, 64]))));
  assert.ok(!windowed(relu(leaf(graph, "odd", "f32", [131, 127]))), "windows must start at multiples of 256 bytes");
  for (const traits of [{ ...SIMD, subgroupSize: null }, DEFAULT_TRAITS]) assert.ok(!windowed(relu(x), traits));
});

Deno.test("an op that overwrites an input reads the other one by windows", () => {
  const graph = new Graph();
  const { node } = add(leaf(graph, "x", "f32"), leaf(graph, "y", "f32"));
  const [plan] = node.op.candidates({
    attrs: node.attrs,
    inputs: node.inputs.map((input) => input.type),
    outputs: node.outputs,
    traits: SIMD,
    randomKey: 0,
    over: { input: 0, output: 0 },
  });
  const [{ bindings, slices }] = plan!.kernels as [NonNullable<typeof plan>["kernels"][number]];
  assert.deepEqual(bindings.map(({ access }) => access), ["read_write", "uniform"]);
  assert.deepEqual(slices, [[0, 0], [65536, 65536], [131072, 131072]]);
});
