/**
 * Uses of a graph's stored tensors. Follows them through nodes, functions and inner graphs to where they meet values that
 * depend on the model's input.
 *
 * @module
 */
import { spend } from "./budget.ts";
import type { OnnxFunction, OnnxGraph, OnnxNode } from "./format/model.ts";
import { type InputRole, isMove, isOpaque, isProduct, roleOf } from "./input_roles.ts";
import { innerGraphs } from "./lifted_tensors.ts";
import { LinkedNames } from "./scope.ts";
import { namesReadBy } from "./needed_nodes.ts";
import { operatorKey, placeOf } from "./operator.ts";
import type { Constant } from "./value.ts";

/**
 * Use of a tensor: a role, or what its place in the graph makes of the role:
 * - `offset`, `spread`: subtracted from the model's input, and what that is divided by
 * - `attention`: factor of the scores of attention
 * - `epsilon`: added before a root, a logarithm or a division
 */
export type TensorUse = InputRole | "offset" | "spread" | "attention" | "epsilon";

/** Stored tensors that a value is computed from, and what the value is otherwise. */
interface Flow {
  /** Tensors by name, true if the value holds their elements as they are. */
  readonly sources: ReadonlyMap<string, boolean>;
  /** True for a value that depends on the model's input. */
  readonly isData?: boolean;
  /** For the model's input as it is, moved, or normalised. */
  readonly input?: "whole" | "normalised";
  /** True for the product of a weight, without a bias. */
  readonly isProduct?: boolean;
  /** True for a product of two values that depend on the model's input. */
  readonly isScores?: boolean;
}

const NOTHING: Flow = { sources: new Map() };

const DATA: Flow = { ...NOTHING, isData: true };

/** Elements of constants that take about the memory of one source of a flow. */
const ELEMENTS_PER_SOURCE = 16;

/** Values between a factor and the softmax of its scores at most. */
const MAX_VISITED = 64;

const ARITHMETIC: ReadonlySet<string> = new Set(["Add", "Sub", "Mul", "Div"]);

/** Operators that change the model's input and leave it what it is, beside moves and arithmetic. */
const LIMITS: ReadonlySet<string> = new Set(["Clip", "Resize", "Upsample"]);

/** A term or factor of one element. */
interface NumberUse {
  readonly name: string;
  readonly role: InputRole;
  readonly output: string;
  readonly isScores: boolean;
}

/** Flows of a graph, and of the graphs around it. */
class Scope extends LinkedNames<Flow> {
  /** Terms and factors of one element, whose use depends on the nodes after them. */
  readonly numbers: NumberUse[] = [];
  readonly #nodes: readonly OnnxNode[];
  #readers: Map<string, OnnxNode[]> | null = null;

  constructor(nodes: readonly OnnxNode[], around: Scope | null) {
    super(around);
    this.#nodes = nodes;
  }

  override get(name: string): Flow {
    return super.get(name) ?? NOTHING;
  }

  readersOf(name: string): readonly OnnxNode[] {
    if (this.#readers === null) {
      this.#readers = new Map();
      for (const node of this.#nodes) {
        for (const read of new Set(namesReadBy(node))) {
          const known = this.#readers.get(read);
          if (known === undefined) this.#readers.set(read, [node]);
          else known.push(node);
        }
      }
    }
    return this.#readers.get(name) ?? [];
  }
}

/** Uses of a graph's tensors. */
export interface TensorUses {
  /** Uses by name of the tensor. */
  readonly uses: ReadonlyMap<string, ReadonlySet<TensorUse>>;
  /** Names of quantised tensors, by the value that a node computes from them. */
  readonly dequantized: ReadonlyMap<string, string>;
}

/**
 * Returns what the nodes of a graph use tensors for.
 *
 * @param tensors stored tensors by name
 * @param functions operators that the file defines, by their key
 */
export function usesOf(
  graph: OnnxGraph,
  tensors: ReadonlyMap<string, Constant>,
  functions: ReadonlyMap<string, OnnxFunction>,
): TensorUses {
  const walk = new Walk(tensors, functions, new Set(graph.inputs.map(({ shape }) => sampleOf(shape?.slice(1) ?? []))));
  const scope = new Scope(graph.nodes, null);
  for (const { name } of graph.inputs) scope.set(name, { ...DATA, input: "whole" });
  for (const [name, { kind }] of tensors) {
    scope.set(name, kind === "float" ? { sources: new Map([[name, true]]) } : NOTHING);
  }
  walk.run(graph.nodes, scope);
  return walk;
}

class Walk implements TensorUses {
  readonly uses = new Map<string, Set<TensorUse>>();
  readonly dequantized = new Map<string, string>();
  readonly #tensors: ReadonlyMap<string, Constant>;
  readonly #functions: ReadonlyMap<string, OnnxFunction>;
  /** Shapes of the inputs' samples. */
  readonly #samples: ReadonlySet<string>;

  constructor(
    tensors: ReadonlyMap<string, Constant>,
    functions: ReadonlyMap<string, OnnxFunction>,
    samples: ReadonlySet<string>,
  ) {
    this.#tensors = tensors;
    this.#functions = functions;
    this.#samples = samples;
  }

  run(nodes: readonly OnnxNode[], scope: Scope): void {
    for (const node of nodes) {
      const flows = node.inputs.map((name) => name === "" ? NOTHING : scope.get(name));
      const outputs = this.#outputsOf(node, flows, scope);
      node.outputs.forEach((name, i) => {
        if (name !== "") scope.set(name, outputs[i] ?? NOTHING);
      });
    }
    for (const { name, role, output, isScores } of scope.numbers) {
      if (role === "added") this.#add(name, isEpsilon(output, scope) ? "epsilon" : role);
      else this.#add(name, leadsToSoftmax(output, isScores, scope) ? "attention" : role);
    }
  }

  #outputsOf(node: OnnxNode, flows: readonly Flow[], scope: Scope): readonly Flow[] {
    const called = this.#functions.get(operatorKey(node.type, node.domain));
    if (called !== undefined) {
      const inner = new Scope(called.nodes, null);
      called.inputs.forEach((name, i) => inner.set(name, flows[i] ?? NOTHING));
      this.run(called.nodes, inner);
      return called.outputs.map((name) => inner.get(name));
    }
    const graphs = innerGraphs(node);
    if (graphs.length > 0) return joined(graphs.map((graph) => this.#inner(node, graph, flows, scope)));
    const flow = this.#flowOf(node, flows, scope);
    return node.outputs.map(() => flow);
  }

  /** Runs a graph inside of a node: a branch, or the body of a loop, whose carried values may be data. */
  #inner(node: OnnxNode, graph: OnnxGraph, flows: readonly Flow[], around: Scope): readonly Flow[] {
    const scope = new Scope(graph.nodes, around);
    const given = node.type === "Loop" ? [NOTHING, NOTHING, ...flows.slice(2)] : flows;
    graph.inputs.forEach(({ name }, i) => {
      const { sources, isData } = given[i] ?? NOTHING;
      scope.set(name, { sources, isData: isData === true || node.type === "Loop" && i > 1 });
    });
    this.run(graph.nodes, scope);
    const outputs = graph.outputs.map(({ name }) => scope.get(name));
    return node.type === "Loop" ? outputs.slice(1) : outputs;
  }

  /** Records the uses of a node's inputs, and returns the flow of its outputs. */
  #flowOf(node: OnnxNode, flows: readonly Flow[], scope: Scope): Flow {
    const data = flows.filter((flow) => flow.isData);
    if (data.length === 0) return this.#constantFlow(node, flows);
    const found = new Set<TensorUse>();
    flows.forEach(({ sources }, i) => {
      for (const [name, isWhole] of sources) {
        const use = this.#use(node, i, name, isWhole, flows, scope);
        if (use === null) continue;
        found.add(use);
        this.#add(name, use);
      }
    });
    if (node.type === "Shape" || node.type === "Size") return NOTHING;
    const move = isMove(node);
    const isScaled = ARITHMETIC.has(node.type) && data.length === 1;
    const isNormal = [...found].every((use) => use === "offset" || use === "spread");
    const keepsInput = isNormal && (move || isScaled || LIMITS.has(node.type)) &&
      data.every(({ input }) => input !== undefined);
    const isNormalised = found.size > 0 || data.some(({ input }) => input === "normalised");
    return {
      ...DATA,
      ...keepsInput ? { input: isNormalised ? "normalised" : "whole" } : {},
      isProduct: isProduct(node)
        ? found.has("weight") && (node.inputs[2] ?? "") === ""
        : (move && flows[0]!.isProduct === true) ||
          (node.type === "Add" && flows.every((flow) => flow.isProduct === true)),
      isScores: isProduct(node) ? data.length > 1 : (move || isScaled) && data.every((flow) => flow.isScores === true),
    };
  }

  /** Returns the flow of a value that does not depend on the model's input: the tensors it is computed from. */
  #constantFlow(node: OnnxNode, flows: readonly Flow[]): Flow {
    const [first] = node.inputs;
    if (node.type === "DequantizeLinear" && this.#tensors.get(first!)?.kind === "integer") {
      this.dequantized.set(node.outputs[0]!, first!);
      for (const { sources } of flows) for (const name of sources.keys()) this.#add(name, "setting");
      return { sources: new Map([[first!, true]]) };
    }
    const [move, opaque] = [isMove(node), isOpaque(node)];
    const sources = new Map<string, boolean>();
    flows.forEach((flow, i) => {
      spend("elements", ELEMENTS_PER_SOURCE * flow.sources.size, placeOf(node));
      for (const [name, isWhole] of flow.sources) {
        if (opaque || roleOf(node, i) === "setting") this.#add(name, "setting");
        else sources.set(name, move && isWhole && sources.get(name) !== false);
      }
    });
    return sources.size === 0 ? NOTHING : { sources };
  }

  /** Returns the use of a tensor by a node, or null for a factor or a term of one element, which is looked at later. */
  #use(
    node: OnnxNode,
    i: number,
    name: string,
    isWhole: boolean,
    flows: readonly Flow[],
    scope: Scope,
  ): TensorUse | null {
    const role = roleOf(node, i);
    const { shape } = this.#tensors.get(name)!;
    const long = shape.filter((n) => n > 1).length;
    const other = flows.find((flow, j) => j !== i && flow.isData);
    // A number that is part of the computation of a weight is no weight
    if (["weight", "bias", "affine"].includes(role) && !isWhole && long === 0) return "multiplied";
    if (role === "added" && other?.isProduct && isWhole && long <= 1 && shape.length > 0) return "bias";
    if (other?.input !== undefined && (long <= 1 || this.#samples.has(sampleOf(shape)))) {
      if (role === "subtracted") return "offset";
      if (role === "divided" || (role === "multiplied" && other.input === "normalised")) return "spread";
    }
    if (long > 0 || !["added", "multiplied", "divided"].includes(role)) return role;
    scope.numbers.push({ name, role, output: node.outputs[0]!, isScores: other?.isScores ?? false });
    return null;
  }

  #add(name: string, use: TensorUse): void {
    const known = this.uses.get(name);
    if (known === undefined) this.uses.set(name, new Set([use]));
    else known.add(use);
  }
}

/** Joins the flows of branches, output by output. */
function joined(branches: readonly (readonly Flow[])[]): Flow[] {
  const [first, ...others] = branches as [readonly Flow[], ...(readonly Flow[])[]];
  return first.map((flow, i) =>
    others.reduce((all, branch) => {
      const { sources = NOTHING.sources, isData } = branch[i] ?? NOTHING;
      return { sources: new Map([...all.sources, ...sources]), isData: (all.isData ?? false) || isData === true };
    }, flow)
  );
}

/** Returns true for a value that nothing reads but roots, logarithms and divisions by it. */
function isEpsilon(name: string, scope: Scope): boolean {
  const readers = scope.readersOf(name);
  return readers.length > 0 &&
    readers.every(({ type, inputs }) =>
      ["Sqrt", "Log", "Reciprocal", "Pow"].includes(type) ||
      (type === "Div" && inputs[1] === name && inputs[0] !== name)
    );
}

/**
 * Returns true for a value that becomes, moved, scaled and masked, the argument of a softmax.
 *
 * @param isScores false if it has to pass a product of two values that depend on the model's input before
 */
function leadsToSoftmax(name: string, isScores: boolean, scope: Scope): boolean {
  const visited = new Map<string, boolean>([[name, isScores]]);
  for (const [value, scores] of visited) {
    if (visited.size > MAX_VISITED) return false;
    for (const node of scope.readersOf(value)) {
      if (scores && node.type === "Softmax") return true;
      const product = !scores && isProduct(node) && node.inputs.every((input) => scope.get(input).isData);
      const passes = isMove(node) || node.type === "Mul" || node.type === "Div" ||
        (scores && ["Add", "Sub", "Where"].includes(node.type));
      if (!product && !passes) continue;
      for (const output of node.outputs) if (!visited.has(output)) visited.set(output, scores || product);
    }
  }
  return false;
}

/** Formats a shape without sizes of 1 in front, as the key of an input's sample. */
function sampleOf(shape: readonly unknown[]): string {
  const first = shape.findIndex((n) => n !== 1);
  return first === -1 ? "" : shape.slice(first).join();
}
