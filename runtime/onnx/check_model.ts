import { InputError } from "../core/errors.ts";
import { clipped } from "../core/shown.ts";
import { deeper, spend } from "./budget.ts";
import type { OnnxFunction, OnnxGraph, OnnxModel, OnnxNode } from "./format/model.ts";
import { operatorKey, placeOf } from "./operator.ts";

/** Largest version of the standard's operators; files of versions that came later are read as if they were older. */
const MAX_OPSET = 99;

/**
 * Checks what is wrong in a file whatever is computed from it.
 *
 * @throws {InputError} if the version of its operators does not exist, two values have the same name, a function
 * calls itself, or there are too many nodes or calls inside one another
 */
export function checkModel({ opsets, graph, functions }: OnnxModel): void {
  const opset = opsets.get("") ?? 1;
  if (!(opset >= 1 && opset <= MAX_OPSET)) {
    throw new InputError(`the version of its operators is ${opset}; expected 1 to ${MAX_OPSET}. Is it damaged?`);
  }
  checkOnce(graph.initializers, "initializers");
  checkOnce(graph.inputs, "inputs");
  checkNames(graph.nodes);
  for (const called of functions) checkNames(called.nodes);
  const counts = new Counts(functions);
  for (const node of graph.nodes) spend("nodes", counts.ofNodes([node], []), placeOf(node));
}

function checkOnce(values: readonly { readonly name: string }[], what: string): void {
  const known = new Set<string>();
  for (const { name } of values) {
    if (known.has(name)) throw new InputError(`two ${what} are called "${clipped(name)}"; export it again`);
    known.add(name);
  }
}

/** @throws {InputError} if two nodes of a graph, or of one inside of it, compute a value of the same name */
function checkNames(nodes: readonly OnnxNode[]): void {
  const computed = new Set<string>();
  for (const node of nodes) {
    for (const name of node.outputs) {
      if (name !== "" && computed.has(name)) {
        throw new InputError(
          `two nodes compute "${clipped(name)}", the second is ${clipped(node.type)}; export it again`,
        );
      }
      computed.add(name);
    }
    for (const inner of graphsOf(node)) checkNames(inner.nodes);
  }
}

/** Numbers of nodes and calls, those of functions counted where they are called. */
class Counts {
  readonly #functions: ReadonlyMap<string, OnnxFunction>;
  readonly #known = new Map<string, number>();

  constructor(functions: readonly OnnxFunction[]) {
    this.#functions = new Map(functions.map((called) => [operatorKey(called.name, called.domain), called]));
  }

  ofNodes(nodes: readonly OnnxNode[], callers: readonly string[]): number {
    let count = 0;
    for (const node of nodes) {
      count += this.#ofCall(operatorKey(node.type, node.domain), callers);
      for (const inner of graphsOf(node)) count += deeper(placeOf(node), () => this.ofNodes(inner.nodes, callers));
    }
    return count;
  }

  #ofCall(key: string, callers: readonly string[]): number {
    const called = this.#functions.get(key);
    if (called === undefined) return 1;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (callers.includes(key)) throw new InputError(`the function ${clipped(key)} calls itself`);
    const count = 1 + deeper(`the function ${clipped(key)}`, () => this.ofNodes(called.nodes, [...callers, key]));
    this.#known.set(key, count);
    return count;
  }
}

function graphsOf({ attributes }: OnnxNode): OnnxGraph[] {
  return [...attributes.values()].flatMap(({ graph }) => graph ?? []);
}
