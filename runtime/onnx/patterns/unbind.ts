import type { OnnxNode } from "../format/model.ts";
import { FUSED } from "../operator.ts";
import { type GraphView, isPlain, type Pattern } from "./graph_view.ts";

/** Parts of a tensor at the places 0, 1, ... of an axis, such as queries, keys and values: one split. */
export const unbind: Pattern = (first, view) => {
  if (placeOf(first, view) === null) return null;
  const [source] = first.inputs as [string];
  const axis = axisOf(first);
  const isSibling = (node: OnnxNode) => placeOf(node, view) !== null && axisOf(node) === axis;
  if (view.readersOf(source).find(isSibling) !== first) return null;
  const siblings = view.readersOf(source).filter(isSibling);
  if (siblings.length < 2) return null;
  const byPlace = new Map(siblings.map((node) => [placeOf(node, view)!, node]));
  const isRow = byPlace.size === siblings.length && siblings.every((_, i) => byPlace.has(i));
  if (!isRow) return null;
  const outputs = siblings.map((_, i) => byPlace.get(i)!.outputs[0]!);
  const node: OnnxNode = { ...first, type: "Unbind", domain: FUSED, inputs: [source], outputs };
  return { removed: siblings, added: [node] };
};

function axisOf(node: OnnxNode): number {
  return node.attributes.get("axis")?.integer ?? 0;
}

/** Returns the place at which a node reads, or null. */
function placeOf(node: OnnxNode, view: GraphView): number | null {
  if (node.type !== "Gather" || !isPlain(node)) return null;
  const index = view.constant(node.inputs[1]);
  return index !== null && index.shape.length === 0 && index.kind === "integer" && index.values[0]! >= 0
    ? index.values[0]!
    : null;
}
