import { InputError } from "../core/errors.ts";
import type { OnnxAttribute, OnnxGraph } from "./format/model.ts";
import type { StoredTensor } from "./format/tensor.ts";

const KINDS = ["integer", "float", "string", "tensor", "graph", "integers", "floats", "strings"] as const;

/** Kind of value that an attribute holds. */
type Kind = (typeof KINDS)[number];

function isFilled(value: OnnxAttribute[Kind]): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

/** Attributes of a node. Remembers which ones were read, so that one that nobody knows is not silently ignored. */
export class Attributes {
  readonly #found: ReadonlyMap<string, OnnxAttribute>;
  readonly #read = new Set<string>();

  constructor(found: ReadonlyMap<string, OnnxAttribute>) {
    this.#found = found;
  }

  has(name: string): boolean {
    return this.#found.has(name);
  }

  /** Marks attributes as known whose value does not matter, for a reason. */
  ignore(_reason: string, ...names: readonly string[]): void {
    for (const name of names) this.#read.add(name);
  }

  /**
   * Marks integers as known.
   *
   * @throws {InputError} if one has another value than the only one that is supported
   */
  only(value: number, ...names: readonly string[]): void {
    for (const name of names) {
      const found = this.integer(name, value);
      if (found !== value) throw new InputError(`${name} is ${found}; only ${value} is supported`);
    }
  }

  /** Names that nobody read or ignored. */
  unread(): string[] {
    return [...this.#found.keys()].filter((name) => !this.#read.has(name));
  }

  /** Returns an integer, or the default if the node does not have it. */
  integer(name: string, otherwise: number): number {
    return this.#get(name, "integer")?.integer ?? this.#zero(name, otherwise);
  }

  /** Returns a float, or the default if the node does not have it. */
  float(name: string, otherwise: number): number {
    const found = this.#get(name, "float");
    return found?.float ?? found?.integer ?? this.#zero(name, otherwise);
  }

  /** Returns text, or the default if the node does not have it. */
  string(name: string, otherwise: string): string {
    return this.#get(name, "string")?.string ?? otherwise;
  }

  /** Returns a list of integers, or null if the node does not have it. */
  integers(name: string): readonly number[] | null {
    return this.#get(name, "integers")?.integers ?? null;
  }

  /** Returns a list of floats, or null if the node does not have it. */
  floats(name: string): readonly number[] | null {
    return this.#get(name, "floats")?.floats ?? null;
  }

  /** Returns a list of texts, or null if the node does not have it. */
  strings(name: string): readonly string[] | null {
    return this.#get(name, "strings")?.strings ?? null;
  }

  /** Returns a tensor, or null if the node does not have it. */
  tensor(name: string): StoredTensor | null {
    return this.#get(name, "tensor")?.tensor ?? null;
  }

  /** Returns a graph; throws {@linkcode InputError} if the node does not have it. */
  graph(name: string): OnnxGraph {
    const graph = this.#get(name, "graph")?.graph;
    if (graph === undefined) throw new InputError(`expected the attribute "${name}" with a graph`);
    return graph;
  }

  /** @throws {InputError} if the attribute holds something else */
  #get(name: string, kind: Kind): OnnxAttribute | undefined {
    this.#read.add(name);
    const found = this.#found.get(name);
    if (found === undefined) return undefined;
    const held = KINDS.filter((each) => isFilled(found[each]));
    // Some exporters write a float that is whole as an integer
    const fits = held.includes(kind) || (kind === "float" && held.includes("integer"));
    if (held.length === 0 || fits) return found;
    throw new InputError(`the attribute "${name}" holds ${held.join(" and ")}; expected ${kind}`);
  }

  /** Returns 0 for an attribute whose value the file leaves out, as protobuf 3 writes zeros. */
  #zero(name: string, otherwise: number): number {
    return this.#found.has(name) ? 0 : otherwise;
  }
}
