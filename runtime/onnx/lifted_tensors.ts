import { elementType } from "./format/element_types.ts";
import type { OnnxGraph, OnnxNode } from "./format/model.ts";
import type { StoredTensor } from "./format/tensor.ts";
import { isMove, roleOf } from "./input_roles.ts";
import { LinkedNames } from "./scope.ts";

/** A graph that has all its tensors as initializers. */
export interface LiftedGraph {
  readonly graph: OnnxGraph;
  /** Names of initializers that were nodes `Constant`. */
  readonly fromNodes: ReadonlySet<string>;
}

/** Number of the element type float32. */
const FLOAT32 = 1;

/**
 * Makes initializers of the model from those of graphs inside of nodes, and from nodes `Constant` of floats if the file keeps
 * its weights there, as paddle2onnx does. Other exporters write numbers and buffers as such nodes, and parameters as
 * initializers.
 */
export function lifted(graph: OnnxGraph): LiftedGraph {
  const all = nodesOf(graph);
  const isKept = all.some(isLargeConstant) && keepsWeightsInNodes(graph, all);
  const hasInner = all.length > graph.nodes.length;
  if (!isKept && !hasInner) return { graph, fromNodes: new Set() };
  const lift = new Lift(isKept, declaredIn(graph));
  const outer = lift.apply(graph, null, new Set(graph.outputs.map(({ name }) => name)));
  return { graph: { ...outer, initializers: [...graph.initializers, ...lift.tensors] }, fromNodes: lift.fromNodes };
}

/** Returns the tensor of a node `Constant` of floats, or null. */
function floatConstant({ type, domain, attributes, outputs: [name = ""] }: OnnxNode): StoredTensor | null {
  if (type !== "Constant" || domain !== "") return null;
  const tensor = attributes.get("value")?.tensor;
  if (tensor !== undefined) return isFloat(tensor) ? { ...tensor, name } : null;
  const made = { name, type: FLOAT32, raw: null, external: null };
  const number = attributes.get("value_float");
  if (number !== undefined) return { ...made, shape: [], numbers: [number.float ?? number.integer ?? 0] };
  const list = attributes.get("value_floats")?.floats;
  return list === undefined ? null : { ...made, shape: [list.length], numbers: list };
}

function isFloat({ type, name }: StoredTensor): boolean {
  try {
    return elementType(type, name).kind === "float";
  } catch {
    return false; // Reported where the node is read
  }
}

/** Returns true for a node `Constant` of more than one number. */
function isLargeConstant({ type, attributes }: OnnxNode): boolean {
  const elements = type === "Constant" ? attributes.get("value")?.tensor?.shape.some((n) => n > 1) : false;
  return elements ?? attributes.has("value_floats");
}

/** Returns the nodes of a graph, and those of graphs inside of them. */
export function nodesOf({ nodes }: OnnxGraph, found: OnnxNode[] = []): OnnxNode[] {
  for (const node of nodes) {
    found.push(node);
    for (const inner of innerGraphs(node)) nodesOf(inner, found);
  }
  return found;
}

/** Returns the graphs inside of a node. */
export function innerGraphs({ attributes }: OnnxNode): readonly OnnxGraph[] {
  let found: OnnxGraph[] | null = null;
  for (const { graph } of attributes.values()) if (graph !== undefined) (found ??= []).push(graph);
  return found ?? NONE;
}

const NONE: readonly OnnxGraph[] = [];

/** Moves that are followed from a layer to its weight. */
const MAX_MOVES = 8;

/** Returns true if most weights of products are nodes `Constant`. */
function keepsWeightsInNodes(graph: OnnxGraph, nodes: readonly OnnxNode[]): boolean {
  const initializers = new Set(graph.initializers.map(({ name }) => name));
  const producers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  let more = 0;
  for (const node of nodes) {
    node.inputs.forEach((input, i) => {
      if (roleOf(node, i) !== "weight") return;
      let name = input;
      for (let moves = 0; moves < MAX_MOVES; moves++) {
        const producer = producers.get(name);
        if (producer === undefined || !isMove(producer)) break;
        name = producer.inputs[0] ?? "";
      }
      if (initializers.has(name)) more--;
      else if (producers.get(name)?.type === "Constant") more++;
    });
  }
  return more > 0;
}

/** Returns how often a graph, and those inside of it, declare each name. */
function declaredIn(graph: OnnxGraph, counts = new Map<string, number>()): Map<string, number> {
  const names = [
    ...[...graph.initializers, ...graph.inputs].map(({ name }) => name),
    ...graph.nodes.flatMap(({ outputs }) => outputs),
  ];
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const inner of graph.nodes.flatMap(innerGraphs)) declaredIn(inner, counts);
  return counts;
}

class Lift {
  readonly tensors: StoredTensor[] = [];
  readonly fromNodes = new Set<string>();
  readonly #withNodes: boolean;
  readonly #declared: Map<string, number>;
  /** Numbers from which on a name may be free. */
  readonly #numbers = new Map<string, number>();

  constructor(withNodes: boolean, declared: Map<string, number>) {
    this.#withNodes = withNodes;
    this.#declared = declared;
  }

  /**
   * Returns a graph without its tensors.
   *
   * @param around names of values of graphs around this one, by those in the file
   * @param kept names of the model's outputs; null for a graph inside of a node
   */
  apply(graph: OnnxGraph, around: LinkedNames<string> | null, kept: ReadonlySet<string> | null): OnnxGraph {
    const names = new LinkedNames(around);
    for (const { name } of graph.inputs) names.set(name, name);
    for (const name of graph.nodes.flatMap(({ outputs }) => outputs)) names.set(name, name);
    const nodes = graph.nodes.filter((node) => {
      const tensor = this.#withNodes ? floatConstant(node) : null;
      if (tensor === null || kept?.has(tensor.name)) return true;
      this.fromNodes.add(this.#add(tensor, names));
      return false;
    });
    if (kept === null) { for (const tensor of graph.initializers) this.#add(tensor, names); }
    const renamed = (name: string) => names.get(name) ?? name;
    return {
      ...graph,
      initializers: kept === null ? [] : graph.initializers,
      outputs: graph.outputs.map((value) => ({ ...value, name: renamed(value.name) })),
      nodes: nodes.map((node) => {
        const attributes = [...node.attributes].map(([key, attribute]) =>
          [
            key,
            attribute.graph === undefined
              ? attribute
              : { ...attribute, graph: this.apply(attribute.graph, names, null) },
          ] as const
        );
        return { ...node, inputs: node.inputs.map(renamed), attributes: new Map(attributes) };
      }),
    };
  }

  /** Adds a tensor under its name, or with a number where another value has that, and returns the name. */
  #add(tensor: StoredTensor, names: LinkedNames<string>): string {
    let name = tensor.name;
    if ((this.#declared.get(name) ?? 0) > 1) {
      let i = this.#numbers.get(name) ?? 2;
      for (; this.#declared.has(name); i++) name = `${tensor.name}_${i}`;
      this.#numbers.set(tensor.name, i);
    }
    this.#declared.set(name, (this.#declared.get(name) ?? 0) + 1);
    names.set(tensor.name, name);
    this.tensors.push({ ...tensor, name });
    return name;
  }
}
