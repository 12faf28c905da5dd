/** Weights that an exporter merged because they were equal are trained alone; weights of one element are trained. */
import { deepStrictEqual } from "node:assert/strict";
import { loadModel } from "../../runtime/onnx/loaded_model.ts";
import { type FileModel, onnxFile } from "../support/onnx_file.ts";

const load = (file: FileModel) =>
  loadModel({ content: onnxFile(file), name: "model.onnx", path: null }, (name) => name === "frozen");

Deno.test("copies of uniform initializers are initializers of their own", () => {
  const model = load({
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }],
    initializers: [
      { name: "a.bias", shape: [2], values: [0, 0] },
      { name: "tied", shape: [2], values: [1, 2] },
      { name: "a.weight", shape: [2], values: [1, 1] },
    ],
    nodes: [
      { type: "Identity", inputs: ["a.bias"], outputs: ["b.bias"] },
      { type: "Identity", inputs: ["tied"], outputs: ["other"] },
      { type: "Add", inputs: ["x", "b.bias"], outputs: ["sum"] },
      { type: "Mul", inputs: ["sum", "other"], outputs: ["scaled"] },
      {
        type: "BatchNormalization",
        inputs: ["scaled", "a.weight", "a.bias", "a.bias", "a.weight"],
        outputs: ["y"],
      },
    ],
  });
  deepStrictEqual(
    [...model.initializers].map(([name, { values }]) => [name, [...values]]),
    [
      ["a.bias", [0, 0]],
      ["tied", [1, 2]],
      ["a.weight", [1, 1]],
      ["b.bias", [0, 0]],
      ["a.running_mean", [0, 0]],
      ["a.running_var", [1, 1]],
    ],
  );
  deepStrictEqual(model.graph.nodes.map(({ type }) => type), ["Identity", "Add", "Mul", "BatchNormalization"]);
  deepStrictEqual(model.graph.nodes[3]!.inputs, ["scaled", "a.weight", "a.bias", "a.running_mean", "a.running_var"]);
});

Deno.test("an initializer of one element is trained where it is a weight", () => {
  const model = load({
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }],
    initializers: [
      { name: "bias", shape: [1], values: [0] },
      { name: "frozen", shape: [1], values: [0.25] },
      { name: "factor", shape: [1], values: [2] },
      { name: "weight", shape: [1, 1, 1, 1], values: [2] },
    ],
    nodes: [
      { type: "Conv", inputs: ["x", "weight", "bias"], outputs: ["c"] },
      { type: "PRelu", inputs: ["c", "frozen"], outputs: ["p"] },
      { type: "Mul", inputs: ["p", "factor"], outputs: ["y"] },
    ],
  });
  deepStrictEqual([...model.initializers.values()].filter(({ trained }) => trained).map((c) => c.initializer), [
    "bias",
    "weight",
  ]);
});
