import { sizeOf } from "../core/shape.ts";
import { clipped } from "../core/shown.ts";
import { spend } from "./budget.ts";
import type { OnnxGraph, OnnxNode } from "./format/model.ts";
import type { StoredTensor } from "./format/tensor.ts";

/** Inputs of batch normalisation that are running statistics, with PyTorch's names for them. */
const STATISTICS = new Map([[3, "running_mean"], [4, "running_var"]]);

/**
 * Gives weights that exporters merge because their elements are equal, such as all zeros of a new model, one initializer
 * each again, so that each is trained alone: those that a node `Identity` copies, as PyTorch writes them, and running
 * statistics that other inputs share.
 *
 * @param elements reads the elements of a tensor
 */
export function separated(graph: OnnxGraph, elements: (tensor: StoredTensor) => ArrayLike<number>): OnnxGraph {
  const initializers = new Map(graph.initializers.map((tensor) => [tensor.name, tensor]));
  const outputs = new Set(graph.outputs.map(({ name }) => name));
  const uniform = new Map<StoredTensor, boolean>();
  const isUniform = (tensor: StoredTensor) => {
    const known = uniform.get(tensor) ?? hasOneValue(elements(tensor));
    uniform.set(tensor, known);
    return known;
  };
  const add = (name: string, tensor: StoredTensor) => {
    spend("elements", sizeOf(tensor.shape), `the copy "${clipped(name)}" of an initializer`);
    initializers.set(name, { ...tensor, name });
  };
  /** Numbers from which on a name may be free. */
  const numbers = new Map<string, number>();
  const nodes = graph.nodes.filter(({ type, domain, inputs: [from], outputs: [to] }) => {
    const tensor = type === "Identity" && domain === "" ? initializers.get(from!) : undefined;
    if (tensor === undefined || outputs.has(to!) || !isUniform(tensor)) return true;
    add(to!, tensor);
    return false;
  });
  const counts = new Map<string, number>();
  for (const name of nodes.flatMap(({ inputs }) => inputs)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const own = (node: OnnxNode, i: number): string => {
    const name = node.inputs[i]!;
    const kind = STATISTICS.get(i);
    const tensor = initializers.get(name);
    if (kind === undefined || tensor === undefined || counts.get(name)! < 2) return name;
    const scale = node.inputs[1]!;
    const base = scale.includes(".") ? scale.slice(0, scale.lastIndexOf(".")) : node.name || scale;
    const first = `${base}.${kind}`;
    let copy = first;
    let n = numbers.get(first) ?? 2;
    for (; initializers.has(copy); n++) copy = `${first}_${n}`;
    numbers.set(first, n);
    add(copy, tensor);
    return copy;
  };
  const made = nodes.map((node) =>
    node.type === "BatchNormalization" ? { ...node, inputs: node.inputs.map((_, i) => own(node, i)) } : node
  );
  return { ...graph, initializers: [...initializers.values()], nodes: made };
}

/** Returns true if all elements are the same number. */
function hasOneValue(values: ArrayLike<number>): boolean {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false;
  return values.length > 0;
}
