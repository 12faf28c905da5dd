import type { OnnxGraph, OnnxNode } from "../format/model.ts";
import type { LoadedModel } from "../loaded_model.ts";
import { namesReadBy, neededNodes } from "../needed_nodes.ts";
import type { Constant } from "../value.ts";

/** Attributes that patterns read, by operator. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  Constant: ["value"],
  Gather: ["axis"],
  ReduceMean: ["axes", "keepdims"],
  Softmax: ["axis"],
  Transpose: ["perm"],
};

/** Returns true for a node of a standard operator that has no attribute besides those that patterns read. */
export function isPlain({ type, domain, attributes }: OnnxNode): boolean {
  return domain === "" && attributes.keys().every((name) => ATTRIBUTES[type]?.includes(name) === true);
}

/** The nodes of a graph by what they compute and read, as patterns look at them. */
export class GraphView {
  readonly nodes: readonly OnnxNode[];
  readonly opset: number;
  readonly #model: LoadedModel;
  readonly #producers = new Map<string, OnnxNode>();
  readonly #uses = new Map<string, OnnxNode[]>();
  readonly #kept: ReadonlySet<string>;

  /** @param outputs values that are read from outside of the graph */
  constructor(model: LoadedModel, graph: OnnxGraph, outputs: readonly string[]) {
    this.nodes = neededNodes(graph, outputs);
    this.opset = model.opset;
    this.#model = model;
    this.#kept = new Set(outputs);
    for (const node of this.nodes) {
      for (const name of node.outputs) this.#producers.set(name, node);
      for (const name of namesReadBy(node)) {
        const uses = this.#uses.get(name);
        if (uses === undefined) this.#uses.set(name, [node]);
        else uses.push(node);
      }
    }
  }

  /** Returns the plain node that computes a value, if it has one of these types. */
  producer(name: string | undefined, ...types: readonly string[]): OnnxNode | null {
    const node = name === undefined ? undefined : this.#producers.get(name);
    return node !== undefined && isPlain(node) && types.includes(node.type) ? node : null;
  }

  /** Like {@linkcode GraphView.producer}, for a value that only one node reads, once. */
  soleProducer(name: string | undefined, ...types: readonly string[]): OnnxNode | null {
    return name !== undefined && this.usesOf(name) === 1 ? this.producer(name, ...types) : null;
  }

  /** Returns how often a value is read; one that is read from outside of the graph counts twice. */
  usesOf(name: string): number {
    return (this.#uses.get(name)?.length ?? 0) + (this.#kept.has(name) ? 2 : 0);
  }

  /** Returns the nodes that read a value. */
  readersOf(name: string): readonly OnnxNode[] {
    return this.#uses.get(name) ?? [];
  }

  /** Returns an initializer or the value of a constant node; null for any other value. */
  constant(name: string | undefined): Constant | null {
    if (name === undefined) return null;
    const initializer = this.#model.initializers.get(name);
    if (initializer !== undefined) return initializer;
    const tensor = this.producer(name, "Constant")?.attributes.get("value")?.tensor;
    return tensor === undefined ? null : this.#model.constant(tensor);
  }

  /**
   * Returns a constant of one number, or null. Of several dimensions, it would give them to what it is combined with; a
   * trained one changes.
   */
  number(name: string | undefined): number | null {
    const constant = this.constant(name);
    if (constant === null || constant.trained || constant.shape.length > 1 || constant.size !== 1) return null;
    return constant.kind === "boolean" ? null : constant.values[0]!;
  }

  /** Returns the largest number of dimensions of the constants among the inputs of nodes. */
  rankOf(nodes: readonly OnnxNode[]): number {
    return Math.max(0, ...nodes.flatMap(({ inputs }) => inputs.map((name) => this.constant(name)?.shape.length ?? 0)));
  }

  /** Returns true for a number as f32 or f16 hold it. */
  isNumber(name: string | undefined, wanted: number): boolean {
    const value = this.number(name);
    if (value === null) return false;
    return Math.abs(value / wanted - 1) < 1e-6 ||
      (this.constant(name)!.type === "float16" && value === Math.f16round(wanted));
  }

  /** Splits the inputs of a node with two into a value and a number, in either order; null if neither is a number. */
  operands(node: OnnxNode): { readonly value: string; readonly number: number; readonly name: string } | null {
    const [a, b] = node.inputs as [string, string];
    const [left, right] = [this.number(a), this.number(b)];
    if (right !== null) return { value: a, number: right, name: b };
    return left !== null && node.type !== "Div" && node.type !== "Sub" && node.type !== "Pow"
      ? { value: b, number: left, name: a }
      : null;
  }

  /** Returns the axes that a reduction or a norm names; null if they are not known. */
  axes(node: OnnxNode): readonly number[] | null {
    const given = node.attributes.get("axes")?.integers;
    if (given !== undefined) return given;
    const constant = this.constant(node.inputs[1]);
    return constant === null ? null : [...constant.values];
  }
}

/** Nodes that replace others. */
interface Rewrite {
  /** Nodes whose values only the pattern reads. */
  readonly removed: readonly OnnxNode[];
  /** Their replacement, inserted where the node is that the pattern was given. */
  readonly added: readonly OnnxNode[];
}

/**
 * Recognises nodes that one operator computes, by one of them: the last, or any whose place all inputs precede and all readers
 * of outputs follow. Returns null for others.
 */
export type Pattern = (node: OnnxNode, view: GraphView) => Rewrite | null;
