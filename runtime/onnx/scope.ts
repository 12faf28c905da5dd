import type { OnnxAttribute, OnnxNode } from "./format/model.ts";
import type { Value } from "./value.ts";

/** Values by name in a graph or a function. A graph inside of a node also sees the names around it, which are not copied. */
export class LinkedNames<V> {
  readonly #own: Map<string, V>;
  readonly #around: LinkedNames<V> | null;

  /**
   * @param around names around the graph; null for a model or a function
   * @param own names of its own
   */
  constructor(around: LinkedNames<V> | null, own: Map<string, V> = new Map()) {
    this.#around = around;
    this.#own = own;
  }

  /** Returns the innermost value of a name; undefined if there is none. */
  get(name: string): V | undefined {
    const own = this.#own.get(name);
    return own === undefined ? this.#around?.get(name) : own;
  }

  set(name: string, value: V): void {
    this.#own.set(name, value);
  }
}

/** A value by its name: null for an output that Tacho does not compute, `left out` for an input that a call leaves out. */
export type Named = Value | null | "left out";

/** Attributes of the call whose function a scope belongs to, with the function's defaults. */
export type CallAttributes = ReadonlyMap<string, OnnxAttribute>;

/** Names of the values in a graph or a function. */
export class Scope extends LinkedNames<Named> {
  readonly opset: number;
  readonly #call: CallAttributes | null;

  private constructor(own: Map<string, Named>, opset: number, around: Scope | null, call: CallAttributes | null) {
    super(around, own);
    this.opset = opset;
    this.#call = call;
  }

  /** The scope of a model. */
  static ofModel(values: Map<string, Named>, opset: number): Scope {
    return new Scope(values, opset, null, null);
  }

  /** The scope of a function, which sees no names but its own. */
  static ofFunction(values: Map<string, Named>, opset: number, call: CallAttributes): Scope {
    return new Scope(values, opset, null, call);
  }

  /** The scope of a graph inside of a node of this scope. */
  inner(values: Map<string, Named>): Scope {
    return new Scope(values, this.opset, this, this.#call);
  }

  /** Returns the value of an output; null if it is not computed. */
  output(name: string): Value | null {
    const value = this.get(name);
    return value === undefined || value === "left out" ? null : value;
  }

  /** Returns a node with the values of attributes that name one of the function's. */
  bound(node: OnnxNode): OnnxNode {
    const call = this.#call;
    if (call === null || node.attributes.values().every(({ reference }) => reference === undefined)) return node;
    const attributes = node.attributes.values().flatMap((attribute): [string, OnnxAttribute][] => {
      const { name, reference } = attribute;
      const given = reference === undefined ? attribute : call.get(reference);
      return given === undefined ? [] : [[name, { ...given, name }]];
    });
    return { ...node, attributes: new Map(attributes) };
  }
}
