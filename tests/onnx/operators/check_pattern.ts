import { fail } from "node:assert/strict";
import { Graph } from "../../../runtime/graph/graph.ts";
import { leafAttrs } from "../../../runtime/graph/leaf.ts";
import { Tensor } from "../../../runtime/graph/op.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import { initialize } from "../../../runtime/nn/initialize.ts";
import { addValues } from "../../../runtime/onnx/importer.ts";
import { loadModel } from "../../../runtime/onnx/loaded_model.ts";
import { fuse } from "../../../runtime/onnx/patterns/fuse.ts";
import { evaluate } from "../../support/evaluate.ts";
import { onnxFile } from "../../support/onnx_file.ts";
import { elementDifference } from "../../support/onnx_node.ts";
import { type DrawnPattern, interpret } from "./patterns.ts";

/** Largest errors of an element: relative, and beside that. */
const [RELATIVE, SLACK] = [2e-4, 2e-4];

/** Computes a graph with its patterns replaced, and compares its outputs with the reference. */
export async function checkPattern({ name, file, inputs }: DrawnPattern): Promise<void> {
  const model = loadModel({ content: onnxFile(file), name: "pattern.onnx", path: null }, () => false);
  const outputs = file.outputs.map((output) => output.name);
  const graph = new Graph("infer");
  const leaves = new Map<string, ArrayLike<number>>();
  const values = new Map(
    Object.entries(inputs).map(([input, { shape, values }]) => {
      leaves.set(`@${input}`, values);
      return [input, graph.leaf("input", `@${input}`, rowMajor(shape, "f32"))];
    }),
  );
  const fused = { ...model, graph: fuse(model, outputs) };
  const all = addValues(fused, {}, graph, values, outputs);
  // A value of weights alone is no tensor
  const found = all.filter((value) => value instanceof Tensor);
  for (const leaf of [...graph.leaves("parameter"), ...graph.leaves("state")]) {
    leaves.set(leaf.node.id, initialize(leafAttrs(leaf)!.initializer!, leaf.shape, 1, leaf.node.id));
  }
  const computed = await evaluate(found, leaves);
  const wanted = interpret(file, inputs);
  for (const [i, tensor] of found.entries()) {
    const output = outputs[all.indexOf(tensor)]!;
    const { shape, values } = wanted.get(output)!;
    const want = { kind: "float", shape, values: Float64Array.from(values) } as const;
    const problem = elementDifference(
      { name: output, got: { shape: tensor.shape, values: computed[i]! }, want },
      RELATIVE,
      SLACK,
    );
    if (problem === null) continue;
    const types = fused.graph.nodes.map(({ type }) => type).join(", ");
    fail(`${name} as ${types}: ${problem}; ${JSON.stringify(file).slice(0, 2000)}`);
  }
}
