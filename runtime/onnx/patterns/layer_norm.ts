import type { OnnxNode } from "../format/model.ts";
import type { GraphView, Pattern } from "./graph_view.ts";

/** The nodes that exporters before opset 17 write for a layer norm over the last dimension. */
export const layerNorm: Pattern = (last, view) => {
  if (last.type !== "Add") return null;
  for (const [scaledAt, biasAt] of [[0, 1], [1, 0]] as const) {
    const scale = view.soleProducer(last.inputs[scaledAt], "Mul");
    if (scale === null || view.constant(last.inputs[biasAt]) === null) continue;
    for (const [normalAt, weightAt] of [[0, 1], [1, 0]] as const) {
      const found = normalOf(view.soleProducer(scale.inputs[normalAt], "Div"), view);
      const weight = view.constant(scale.inputs[weightAt]);
      if (found === null || weight?.shape.length !== 1 || weight.kind !== "float") continue;
      const node: OnnxNode = {
        ...last,
        type: "LayerNormalization",
        inputs: [found.x, scale.inputs[weightAt]!, last.inputs[biasAt]!],
        attributes: new Map([
          ["axis", { name: "axis", integer: -1, floats: [], integers: [], strings: [] }],
          ["epsilon", { name: "epsilon", float: found.epsilon, floats: [], integers: [], strings: [] }],
        ]),
      };
      return { removed: [...found.nodes, scale, last], added: [node] };
    }
  }
  return null;
};

/** Matches (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon). */
function normalOf(div: OnnxNode | null, view: GraphView) {
  if (div === null) return null;
  const [centred, deviation] = div.inputs as [string, string];
  const root = view.soleProducer(deviation, "Sqrt");
  const shifted = view.soleProducer(root?.inputs[0], "Add");
  const operands = shifted === null ? null : view.operands(shifted);
  const variance = view.soleProducer(operands?.value, "ReduceMean");
  const square = view.soleProducer(variance?.inputs[0], "Pow", "Mul");
  const sub = view.producer(centred, "Sub");
  const mean = view.soleProducer(sub?.inputs[1], "ReduceMean");
  if (root === null || shifted === null || operands === null || variance === null || square === null) return null;
  if (sub === null || mean === null || mean.inputs[0] !== sub.inputs[0]) return null;
  const isSquare = square.type === "Mul"
    ? square.inputs[0] === centred && square.inputs[1] === centred
    : square.inputs[0] === centred && view.number(square.inputs[1]) === 2;
  const reads = square.type === "Mul" ? 3 : 2;
  const isLast = [variance, mean].every((node) => {
    const axes = view.axes(node);
    return axes?.length === 1 && axes[0] === -1 && (node.attributes.get("keepdims")?.integer ?? 1) === 1;
  });
  if (!isSquare || !isLast || view.usesOf(centred) !== reads || !(operands.number > 0)) return null;
  return { x: sub.inputs[0]!, epsilon: operands.number, nodes: [mean, sub, square, variance, shifted, root, div] };
}
