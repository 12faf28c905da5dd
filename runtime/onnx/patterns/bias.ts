import type { OnnxNode } from "../format/model.ts";
import { FUSED } from "../operator.ts";
import type { GraphView, Pattern } from "./graph_view.ts";

/** A product with a weight matrix and the sum with a vector: a linear layer with a bias. */
export const linearBias: Pattern = (add, view) => {
  if (add.type !== "Add") return null;
  for (const [product, bias] of [[0, 1], [1, 0]] as const) {
    const matmul = view.soleProducer(add.inputs[product], "MatMul");
    const vector = view.constant(add.inputs[bias]);
    if (matmul === null || vector?.shape.length !== 1 || vector.kind !== "float" || !isMatrix(view, matmul.inputs[1])) {
      continue;
    }
    const node: OnnxNode = {
      ...matmul,
      type: "Linear",
      domain: FUSED,
      inputs: [...matmul.inputs, add.inputs[bias]!],
      outputs: add.outputs,
    };
    return { removed: [matmul, add], added: [node] };
  }
  return null;
};

/** Returns true for a weight matrix, or its transpose. */
function isMatrix(view: GraphView, name: string | undefined): boolean {
  const source = view.producer(name, "Transpose")?.inputs[0] ?? name;
  return view.constant(source)?.shape.length === 2;
}
