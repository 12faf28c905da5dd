import { GELU_FORMS } from "../../../ops/gelu.ts";
import type { OnnxAttribute, OnnxNode } from "../format/model.ts";
import { FUSED } from "../operator.ts";
import type { GraphView, Pattern } from "./graph_view.ts";

/** The factors x, 1/2 and 1 + f(x) of a GELU in any order, with f the error function or a tanh. */
export const gelu: Pattern = (last, view) => {
  if (last.type !== "Mul") return null;
  const product = factorsOf(last, view);
  if (product === null) return null;
  const { nodes, factors } = product;
  const half = factors.filter((name) => view.number(name) === 0.5);
  const rest = factors.filter((name) => view.number(name) !== 0.5);
  if (half.length !== 1 || rest.length !== 2) return null;
  for (const [x, other] of [rest, rest.toReversed()] as [string, string][]) {
    const found = errorForm(x, other, view) ?? tanhForm(x, other, view);
    if (found === null) continue;
    const removed = [...found.nodes, ...nodes];
    const approximate = { name: "approximate", string: found.form, floats: [], integers: [], strings: [] };
    const rank = { name: "rank", integer: view.rankOf(removed), floats: [], integers: [], strings: [] };
    const node: OnnxNode = {
      ...last,
      type: "Gelu",
      domain: FUSED,
      inputs: [x],
      attributes: new Map<string, OnnxAttribute>([["approximate", approximate], ["rank", rank]]),
    };
    return { removed, added: [node] };
  }
  return null;
};

/** Returns the three factors of two products. */
function factorsOf(last: OnnxNode, view: GraphView): { nodes: OnnxNode[]; factors: string[] } | null {
  for (const [inner, outer] of [[0, 1], [1, 0]] as const) {
    const product = view.soleProducer(last.inputs[inner], "Mul");
    if (product !== null) return { nodes: [product, last], factors: [...product.inputs, last.inputs[outer]!] };
  }
  return null;
}

interface Form {
  readonly form: string;
  readonly nodes: readonly OnnxNode[];
}

/** Matches 1 + erf(x / sqrt 2). */
function errorForm(x: string, name: string, view: GraphView): Form | null {
  const one = view.soleProducer(name, "Add");
  const added = one === null ? null : view.operands(one);
  const error = view.soleProducer(added?.value, "Erf");
  const scaled = view.soleProducer(error?.inputs[0], "Div", "Mul");
  const operands = scaled === null ? null : view.operands(scaled);
  if (one === null || added?.number !== 1 || error === null || scaled === null || operands?.value !== x) return null;
  if (!view.isNumber(operands.name, scaled.type === "Div" ? Math.SQRT2 : Math.SQRT1_2)) return null;
  return { form: GELU_FORMS[0], nodes: [scaled, error, one] };
}

/** Matches 1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)). */
function tanhForm(x: string, name: string, view: GraphView): Form | null {
  const one = view.soleProducer(name, "Add");
  const added = one === null ? null : view.operands(one);
  const tanh = view.soleProducer(added?.value, "Tanh");
  const scaled = view.soleProducer(tanh?.inputs[0], "Mul");
  const operands = scaled === null ? null : view.operands(scaled);
  const inner = view.soleProducer(operands?.value, "Add");
  if (one === null || added?.number !== 1 || tanh === null || scaled === null || inner === null) return null;
  if (!view.isNumber(operands!.name, Math.sqrt(2 / Math.PI)) || !inner.inputs.includes(x)) return null;
  const cubic = view.soleProducer(inner.inputs.find((input) => input !== x), "Mul");
  const factor = cubic === null ? null : view.operands(cubic);
  const power = view.soleProducer(factor?.value, "Pow");
  if (cubic === null || factor === null || power === null || !view.isNumber(factor.name, 0.044715)) return null;
  if (power.inputs[0] !== x || view.number(power.inputs[1]) !== 3) return null;
  return { form: GELU_FORMS[1], nodes: [power, cubic, inner, scaled, tanh, one] };
}
