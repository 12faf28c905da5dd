import assert from "node:assert/strict";
import { activationGrad } from "../../ops/activation_grad.ts";
import { addOp } from "../../ops/add.ts";
import { addReluOp } from "../../ops/add_relu.ts";
import { biasGrad } from "../../ops/bias_grad.ts";
import { conv2dOp } from "../../ops/conv2d.ts";
import { linearOp } from "../../ops/linear.ts";
import { relu, reluOp } from "../../ops/relu.ts";
import { sigmoidOp } from "../../ops/sigmoid.ts";
import { withActivation } from "../../ops/with_activation.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation, rowMajor, type TensorType } from "../../runtime/graph/types.ts";
import { candidatesToCheck } from "../support/checked_candidates.ts";
import { evaluate, testDevice } from "../support/evaluate.ts";
import { full } from "../support/full.ts";
import { normals } from "../support/reference/random.ts";

const ATTRS = { stride: [1, 1], padding: [1, 1], dilation: [1, 1], groups: 1 } as const;

function leaf(graph: Graph, name: string, type: TensorType, values: Map<string, Float32Array>): Tensor {
  values.set(name, normals(type.shape.reduce((a, b) => a * b, 1), values.size + 1).map((value) => value / 4));
  return graph.leaf("parameter", name, type, { kind: "constant", value: 0 });
}

/** Returns the largest difference, relative to the value or to 1, whichever is larger. */
function distance(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!) / (1 + Math.abs(b[i]!))), 0);
}

const relued = { form: reluOp.elementwise({}), derivative: reluOp.derivative({}) };

for (const dtype of ["f32", "f16"] as const satisfies readonly FloatType[]) {
  for (const channels of full ? [5, 8] : dtype === "f32" ? [5] : [8]) {
    Deno.test(`every candidate of a product applies a fused activation: ${dtype}, ${channels} channels`, async () => {
      const device = await testDevice();
      const layouts = [["cpu", "nhwc"], ["gpu", "nhwc"], ["cpu", "nchw"], ["gpu", "nchw"]] as const;
      for (const [deviceClass, images] of layouts) {
        const traits = { class: deviceClass };
        const graph = new Graph("train", images);
        const values = new Map<string, Float32Array>();
        const x = leaf(graph, "x", activation([2, 3, 7, 5], dtype, images), values);
        const weight = leaf(graph, "w", { shape: [channels, 3, 3, 3], dtype, layout: "hwio" }, values);
        const bias = leaf(graph, "b", rowMajor([channels], dtype), values);
        const rows = leaf(graph, "rows", rowMajor([9, 11], dtype), values);
        const matrix = leaf(graph, "m", { shape: [channels, 11], dtype, layout: "io" }, values);
        const pairs = [
          [
            relu(graph.apply(conv2dOp, ATTRS, [x, weight, bias])[0]!),
            graph.apply(withActivation(conv2dOp), { base: ATTRS, ...relued }, [x, weight, bias])[0]!,
          ],
          [
            relu(graph.apply(linearOp, null, [rows, matrix, bias])[0]!),
            graph.apply(withActivation(linearOp), { base: null, ...relued }, [rows, matrix, bias])[0]!,
          ],
        ] as const;
        for (const [apart, joined] of pairs) {
          const { node } = joined;
          const inputs = node.inputs.map(({ type }) => type);
          const context = { inputs, outputs: node.outputs, traits: { ...device.traits, ...traits }, randomKey: 0 };
          const base = node.op.type === "conv2d"
            ? conv2dOp.candidates({ ...context, attrs: ATTRS })
            : linearOp.candidates({ ...context, attrs: null });
          const plans = node.op.candidates({ ...context, attrs: node.attrs });
          assert.equal(plans.length, base.length, "every candidate has a fused form");
          for (const i of candidatesToCheck(device, full || dtype === "f32" ? Infinity : 1)(plans)) {
            const pick = (other: typeof node) => other.op.type === node.op.type ? i : 0;
            const [a, b] = await evaluate([apart, joined], values, { traits, pick });
            assert.ok(distance(b!, a!) <= (dtype === "f32" ? 1e-6 : 2e-3), `${node.op.type} ${base[i]!.name}`);
          }
        }
      }
    });
  }

  Deno.test(`the fused gradient of activation and bias equals the separate gradients: ${dtype}`, async () => {
    const images = [[3, 5, 7, 9], [2, 8, 5, 5]].map((shape) => activation(shape, dtype, "nchw"));
    const others = [[3, 5, 7, 9], [2, 8, 5, 5], [37, 6], [4, 9, 12]].map((shape) => activation(shape, dtype));
    for (const type of [...images, ...others]) {
      const { shape } = type;
      const graph = new Graph();
      const values = new Map<string, Float32Array>();
      const [dy, y] = [leaf(graph, "dy", type, values), leaf(graph, "y", type, values)];
      const bias = rowMajor([shape.length === 4 ? shape[1]! : shape.at(-1)!], "f32");
      for (const form of [reluOp.derivative({}), sigmoidOp.derivative({})]) {
        const joined = activationGrad(dy, y, form, bias);
        const { dz } = activationGrad(dy, y, form, null);
        const [a, b, c, d] = await evaluate([joined.dz, joined.db!, dz, biasGrad(dz, bias)], values);
        assert.ok(distance(a!, c!) === 0, `dz of ${shape}`);
        assert.ok(distance(b!, d!) <= (dtype === "f32" ? 1e-5 : 5e-3), `db of ${shape}`);
      }
    }
  });

  Deno.test(`add and ReLU fuse into one kernel: ${dtype}`, async () => {
    const graph = new Graph();
    const values = new Map<string, Float32Array>();
    const [a, b] = ["a", "b"].map((name) => leaf(graph, name, activation([2, 3, 5, 7], dtype), values));
    const joined = graph.apply(addReluOp, {}, [a!, b!])[0]!;
    const apart = relu(graph.apply(addOp, {}, [a!, b!])[0]!);
    const [one, two] = await evaluate([joined, apart], values);
    assert.deepEqual(one, two);
  });
}
