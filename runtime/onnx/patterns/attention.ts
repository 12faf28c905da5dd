import type { OnnxAttribute, OnnxNode } from "../format/model.ts";
import { FUSED } from "../operator.ts";
import type { GraphView, Pattern } from "./graph_view.ts";

/** softmax(scale q k^T + mask) v, in the forms that exporters write it. */
export const attention: Pattern = (last, view) => {
  if (last.type !== "MatMul") return null;
  const softmax = view.soleProducer(last.inputs[0], "Softmax");
  if (softmax === null || (softmax.attributes.get("axis")?.integer ?? (view.opset < 13 ? 1 : -1)) !== -1) return null;
  const masked = maskOf(softmax.inputs[0]!, view);
  const outer = scaledOf(masked.scores, view);
  const product = view.soleProducer(outer.value, "MatMul");
  if (product === null) return null;
  const q = scaledOf(product.inputs[0]!, view);
  const k = scaledOf(product.inputs[1]!, view);
  // k is a transpose, so that no product of other matrices is taken for attention
  if (view.producer(k.value, "Transpose") === null) return null;
  const factor = outer.factor * q.factor * k.factor;
  if (!Number.isFinite(Math.fround(factor))) return null;
  const attribute = (name: string, value: Partial<OnnxAttribute>): [string, OnnxAttribute] => [
    name,
    { name, floats: [], integers: [], strings: [], ...value },
  ];
  const node: OnnxNode = {
    ...last,
    type: "Attention",
    domain: FUSED,
    inputs: [q.value, k.value, last.inputs[1]!, ...masked.inputs],
    attributes: new Map([
      attribute("scale", { float: factor }),
      attribute("masked", { string: masked.kind }),
      attribute("low", { float: masked.low }),
    ]),
  };
  const removed = [...q.nodes, ...k.nodes, product, ...outer.nodes, ...masked.nodes, softmax, last];
  return { removed, added: [node] };
};

interface Scaled {
  readonly value: string;
  readonly factor: number;
  readonly nodes: readonly OnnxNode[];
}

/** Takes a factor off a value that nothing else reads. */
function scaledOf(name: string, view: GraphView): Scaled {
  const node = view.soleProducer(name, "Mul", "Div");
  const operands = node === null ? null : view.operands(node);
  if (node === null || operands === null) return { value: name, factor: 1, nodes: [] };
  return { value: operands.value, factor: node.type === "Div" ? 1 / operands.number : operands.number, nodes: [node] };
}

interface Masked {
  readonly scores: string;
  /** `sum` for a mask that is added, `choice` for one that is true where scores stay. */
  readonly kind: "none" | "sum" | "choice";
  /** Score of what a choice excludes. */
  readonly low: number;
  readonly inputs: readonly string[];
  readonly nodes: readonly OnnxNode[];
}

/** A mask is a sum, or a choice between scores and a very low number. */
function maskOf(name: string, view: GraphView): Masked {
  const none: Masked = { scores: name, kind: "none", low: -Infinity, inputs: [], nodes: [] };
  const add = view.soleProducer(name, "Add");
  if (add !== null) {
    const isScores = (input: string) => view.soleProducer(scaledOf(input, view).value, "MatMul") !== null;
    const [a, b] = add.inputs as [string, string];
    if (isScores(a)) return { scores: a, kind: "sum", low: -Infinity, inputs: [b], nodes: [add] };
    if (isScores(b)) return { scores: b, kind: "sum", low: -Infinity, inputs: [a], nodes: [add] };
  }
  const where = view.soleProducer(name, "Where");
  const low = view.number(where?.inputs[2]) ?? 0;
  if (where === null || !(low < 0)) return none;
  return { scores: where.inputs[1]!, kind: "choice", low, inputs: [where.inputs[0]!], nodes: [where] };
}
