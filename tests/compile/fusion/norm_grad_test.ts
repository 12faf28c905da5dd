import assert from "node:assert/strict";
import { add, batchNorm, conv2d, flatten, layer, linear, relu, sequential } from "../../../mod.ts";
import { batchNorm as batchNormOf, type BatchNormGradAttrs, batchNormGradOp } from "../../../ops/batch_norm.ts";
import { outputOf } from "../../../ops/kernels/tensors.ts";
import { compileTraining } from "../../../runtime/compile/compile.ts";
import { DEFAULT_TRAITS } from "../../../runtime/device/traits.ts";
import { Graph } from "../../../runtime/graph/graph.ts";
import type { Tensor } from "../../../runtime/graph/op.ts";
import { activation, rowMajor } from "../../../runtime/graph/types.ts";
import { evaluate } from "../../support/evaluate.ts";
import { assertClose, everyCandidate, normals, rounded } from "../../support/op_case.ts";
import { sampled } from "../../support/full.ts";
import { optionsOf } from "../programs.ts";

const conv = () => conv2d(4, { kernel: 3, padding: 1, bias: false });
const block = () => {
  const body = sequential({ conv: conv(), bn: batchNorm() });
  return layer((x) => relu()(add(body(x), x)));
};
const stem = sequential({ conv: conv(), bn: batchNorm(), relu: relu() });
const net = sequential({ stem, a: block(), b: block(), flatten: flatten(), fc: linear(3) });

function gradients(deviceClass: "cpu" | "gpu", fusion = true) {
  const { nodes } = compileTraining({
    ...optionsOf(net, [2, 3, 5, 7], { fusion }),
    traits: { ...DEFAULT_TRAITS, class: deviceClass },
  });
  return nodes.filter(({ type, phase }) => phase === "backward" && /^(add|batch_norm_grad)$/.test(type));
}

Deno.test("on GPUs the norm of a residual block reads both gradients, and its members include the addition", () => {
  const types = (nodes: ReturnType<typeof gradients>) => nodes.map(({ type }) => type);
  // the last block's output is read once, the first block's and the stem's twice
  assert.deepEqual(types(gradients("cpu")), ["batch_norm_grad", "add", "batch_norm_grad", "add", "batch_norm_grad"]);
  const nodes = gradients("gpu");
  assert.deepEqual(types(nodes), ["batch_norm_grad", "batch_norm_grad", "add", "batch_norm_grad"]);
  assert.equal(nodes[0]!.members.length, 0);
  assert.equal(nodes[1]!.members.length, 2);
  assert.equal(nodes[1]!.members[1], nodes[1]!.id);
  assert.equal(nodes[1]!.inputs.length, 6);
  // dy, x, gamma, the saved values, beta
  const images = [2, 4, 5, 7];
  assert.deepEqual(nodes[3]!.inputs.map(({ shape }) => shape), [images, images, [4], [2, 4], [4]]);
  assert.equal(nodes[3]!.members.length, 0);
  assert.ok(gradients("gpu", false).every(({ members }) => members.length === 0));
});

const SHAPES = [[[3, 5, 7, 3], "nhwc"], [[5, 8, 9, 31], "nhwc"], [[2, 5, 9, 7], "nchw"]] as const;

for (const dtype of ["f32", "f16"] as const) {
  Deno.test(`the gradient of a norm that reads two gradients equals that of their sum, ${dtype}`, async () => {
    for (const [shape, images] of dtype === "f32" ? SHAPES : sampled(SHAPES, 2)) {
      const graph = new Graph("train", images);
      const like = (name: string) => graph.leaf("input", name, activation(shape, dtype, images));
      const [x, y, a, b, sum] = ["x", "y", "a", "b", "sum"].map(like) as [Tensor, Tensor, Tensor, Tensor, Tensor];
      const gamma = graph.leaf("state", "gamma", rowMajor([shape[1]], "f32"));
      const saved = graph.leaf("state", "saved", rowMajor([2, shape[1]], "f32"));
      const attrs: BatchNormGradAttrs = { activation: "relu", residual: true, betaType: "f32" };
      const one = graph.apply(batchNormGradOp, attrs, [sum, x, gamma, saved, y]);
      const two = graph.apply(batchNormGradOp, { ...attrs, second: true }, [a, x, gamma, saved, y, b]);
      const n = x.shape.reduce((product, size) => product * size, 1);
      const draw = (seed: number) => rounded(normals(n, seed), dtype);
      const values = { x: draw(1), y: draw(2), a: draw(3), b: draw(4) };
      const leaves = new Map<string, ArrayLike<number>>([
        ...Object.entries(values),
        ["sum", values.a.map((value, i) => value + values.b[i]!)],
        ["gamma", normals(shape[1], 5)],
        ["saved", normals(2 * shape[1], 6)],
      ]);
      await everyCandidate(async (options, where) => {
        const got = await evaluate([...two, ...one], leaves, options);
        ["dx", "dgamma", "dbeta", "dresidual"].forEach((name, i) => {
          assertClose(got[i]!, got[i + 4]!, dtype === "f32" ? 2e-6 : 4e-3, `${name} of ${shape}, ${where}`);
        });
      });
    }
  });
}

for (const dtype of ["f32", "f16"] as const) {
  Deno.test(`the gradient of a norm with a ReLU is the same with the output's sign recomputed from x, ${dtype}`, async () => {
    for (const [shape, images] of dtype === "f32" ? SHAPES : sampled(SHAPES, 2)) {
      const graph = new Graph("train", images);
      const like = (name: string) => graph.leaf("input", name, activation(shape, dtype, images));
      const ofChannels = (name: string) => graph.leaf("state", name, rowMajor([shape[1]], "f32"));
      const [x, dy] = [like("x"), like("dy")];
      const [gamma, beta, runningMean, runningVariance] = ["gamma", "beta", "mean", "variance"].map(ofChannels) as [
        Tensor,
        Tensor,
        Tensor,
        Tensor,
      ];
      const y = batchNormOf(x, { gamma, beta, runningMean, runningVariance }, { activation: "relu" });
      const saved = outputOf(y.node, 1);
      const attrs: BatchNormGradAttrs = { activation: "relu", residual: false, betaType: "f32" };
      const byY = graph.apply(batchNormGradOp, attrs, [dy, x, gamma, saved, y]);
      const byX = graph.apply(batchNormGradOp, { ...attrs, sign: "x" }, [dy, x, gamma, saved, beta]);
      const n = x.shape.reduce((product, size) => product * size, 1);
      const leaves = new Map<string, ArrayLike<number>>([
        ["x", rounded(normals(n, 1), dtype)],
        ["dy", rounded(normals(n, 2), dtype)],
        ["gamma", normals(shape[1], 3)],
        ["beta", normals(shape[1], 4)],
        ["mean", new Float64Array(shape[1])],
        ["variance", new Float64Array(shape[1])],
      ]);
      await everyCandidate(async (options, where) => {
        const got = await evaluate([...byX, ...byY], leaves, options);
        ["dx", "dgamma", "dbeta"].forEach((name, i) => {
          assertClose(got[i]!, got[i + 3]!, dtype === "f32" ? 1e-6 : 1e-3, `${name} of ${shape}, ${where}`);
        });
      });
    }
  });
}
