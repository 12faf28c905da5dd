import { add } from "../../ops/add.ts";
import { mul } from "../../ops/arithmetic.ts";
import { cast } from "../../ops/cast.ts";
import type { Operand } from "../../ops/elementwise_op.ts";
import { storedAs, transpose } from "../../ops/transpose.ts";
import { InputError } from "../core/errors.ts";
import type { Layout } from "../core/layout.ts";
import { formatShape, type Shape } from "../core/shape.ts";
import type { GraphBuilder, Tensor } from "../graph/op.ts";
import type { Initializer } from "../graph/types.ts";
import type { Attributes } from "./attributes.ts";
import type { OnnxGraph, OnnxNode } from "./format/model.ts";
import { limited } from "./host.ts";
import { type Constant, isConstant, type Value } from "./value.ts";

/** Integers up to this are exact in f32. */
const EXACT = 2 ** 24;

/** The graph and the file that a node belongs to. */
export interface Surroundings {
  readonly graph: GraphBuilder;
  /** Version of the standard's operators that the file uses. */
  readonly opset: number;
  /** The model's batch size in the file and now, if the file has one and they differ. */
  readonly batch: { readonly written: number; readonly actual: number } | null;
  /** Returns the leaf of an initializer, in `layout` if it is its first use. */
  leaf(constant: Constant, layout: Layout, kind: "parameter" | "state"): Tensor;
  /** Reads a constant that is stored as an attribute. */
  elements(attributes: Attributes, name: string): Constant | null;
  /** Returns true for a tensor of truth values, which are floats. */
  isBoolean(tensor: Tensor): boolean;
  /** Adds the nodes of a graph inside a node, which reads values around it, and returns its outputs. */
  subgraph(graph: OnnxGraph, inputs: readonly (Value | null)[]): readonly (Value | null)[];
}

/** Most numbers of a list, such as a shape, axes or the sizes of parts. */
const MAX_LISTED = 4096;

/** A node that is added to the model: its inputs and attributes, as an operator reads them. */
export class Application {
  readonly node: OnnxNode;
  readonly attributes: Attributes;
  readonly surroundings: Surroundings;
  readonly inputs: readonly (Value | null)[];
  /** Path of the layer that the node forms. */
  readonly path: string;
  readonly #read = new Set<number>();

  constructor(
    node: OnnxNode,
    path: string,
    inputs: readonly (Value | null)[],
    attributes: Attributes,
    surroundings: Surroundings,
  ) {
    this.node = node;
    this.path = path;
    this.inputs = inputs;
    this.attributes = attributes;
    this.surroundings = surroundings;
  }

  get opset(): number {
    return this.surroundings.opset;
  }

  get graph(): GraphBuilder {
    return this.surroundings.graph;
  }

  /** Returns true if the node has an input, and marks it as known. */
  has(i: number): boolean {
    this.#read.add(i);
    return this.inputs[i] != null;
  }

  /** Marks an input as known whose value does not matter, for a reason. */
  ignoreInput(_reason: string, i: number): void {
    this.#read.add(i);
  }

  /** Inputs that the node has and that nobody read or ignored. */
  unreadInputs(): number[] {
    return [...this.inputs.keys()].filter((i) => this.inputs[i] != null && !this.#read.has(i));
  }

  /** Returns true for an input of truth values. */
  isBoolean(i: number): boolean {
    const value = this.value(i);
    return isConstant(value) ? value.kind === "boolean" : this.surroundings.isBoolean(value);
  }

  /** Returns an input. */
  value(i: number): Value {
    this.#read.add(i);
    const value = this.inputs[i];
    if (value == null) throw new InputError(`expected an input ${i}, got ${this.inputs.length} inputs`);
    return value;
  }

  shape(i: number): Shape {
    return this.value(i).shape;
  }

  /** Returns an input as a tensor of the model: a constant becomes a parameter or a buffer. */
  tensor(i: number, layout: Layout = "row"): Tensor {
    return this.toTensor(this.value(i), `input${i}`, layout);
  }

  /** Returns an input as a float tensor of the model. */
  floats(i: number): Tensor {
    const x = this.tensor(i);
    return x.dtype === "i32" ? cast(x, "f32") : x;
  }

  /** Returns an initializer as a tensor that a step may change and the optimizer does not, such as running statistics. */
  state(i: number): Tensor {
    const value = this.value(i);
    if (isConstant(value) && value.initializer !== null) return this.surroundings.leaf(value, "row", "state");
    return this.tensor(i);
  }

  /** Returns an input as an operand of an elementwise op: constants of one element are numbers. */
  operand(i: number): Operand {
    const value = this.value(i);
    return isConstant(value) && !value.trained && value.size === 1 && Number.isFinite(value.values[0]!)
      ? value.values[0]!
      : this.tensor(i);
  }

  /** Returns an input that has to be known when the model is built; null if it is left out. */
  constant(i: number, what: string): Constant | null {
    this.#read.add(i);
    const value = this.inputs[i] ?? null;
    if (value === null || isConstant(value)) return value;
    throw new InputError(
      `${what} (input ${i}) depends on the model's input; expected a constant, since plans have fixed shapes`,
    );
  }

  /** Returns a constant input as a list of at most `most` numbers; null if it is left out. */
  list(i: number, what: string, most = MAX_LISTED): number[] | null {
    const constant = this.constant(i, what);
    if (constant === null) return null;
    if (limited(constant.size) <= most) return [...constant.values];
    throw new InputError(`${what} (input ${i}) has ${constant.size} numbers; expected at most ${most}`);
  }

  /** Returns a constant input of one number; null if it is left out. */
  number(i: number, what: string): number | null {
    const constant = this.constant(i, what);
    if (constant === null) return null;
    if (constant.size === 1) return constant.values[0]!;
    throw new InputError(`${what} (input ${i}) has the shape ${formatShape(constant.shape)}; expected one number`);
  }

  /**
   * Returns a list that older versions have as an attribute and newer ones as an input; null if the node has neither.
   *
   * @param i input of newer versions
   */
  listOf(name: string, i: number): readonly number[] | null {
    if (!this.attributes.has(name)) return this.list(i, name);
    const given = this.attributes.integers(name);
    if (given === null || given.length <= MAX_LISTED) return given;
    throw new InputError(`${name} has ${given.length} numbers; expected at most ${MAX_LISTED}`);
  }

  /** Returns a value as a tensor of the model. `name` tells constants of a node apart. */
  toTensor(value: Value, name: string, layout: Layout = "row"): Tensor {
    if (!isConstant(value)) return layout === "row" ? value : storedAs(value, layout);
    if (value.transposed !== null) return storedAs(transpose(this.toTensor(value.transposed, name, "io")), layout);
    if (value.shape.some((n) => n === 0)) {
      throw new InputError(`${name} has the shape ${formatShape(value.shape)}; expected elements`);
    }
    if (value.initializer !== null && value.kind === "float") {
      return storedAs(this.surroundings.leaf(value, layout, value.trained ? "parameter" : "state"), layout);
    }
    limited(value.size);
    const leafOf = (initializer: Initializer, suffix = "") => {
      const type = { shape: value.shape, dtype: "f32", layout } as const;
      return this.graph.leaf("state", `${this.path}.${name}${suffix}`, type, initializer);
    };
    if (value.kind !== "integer") return leafOf(value.initial());
    if (value.values.every((each) => Math.abs(each) <= EXACT)) return cast(leafOf(value.initial()), "i32");
    const wide = value.values.find((each) => Math.abs(each + 0.5) > 2 ** 31);
    if (wide !== undefined) throw new InputError(`${name} has the integer ${wide}; expected integers of 32 bits`);
    const part = (of: (each: number) => number): Initializer => ({
      kind: "values",
      values: Float32Array.from(value.values, of),
    });
    const high = part((each) => Math.floor(each / 65536));
    const low = part((each) => each - 65536 * Math.floor(each / 65536));
    return add(mul(cast(leafOf(high, "_high"), "i32"), 65536), cast(leafOf(low, "_low"), "i32"));
  }
}
