import type { OnnxGraph, OnnxNode } from "./format/model.ts";

/** Returns the nodes, in their order, on which a value depends. */
export function neededNodes({ nodes }: OnnxGraph, outputs: readonly string[]): OnnxNode[] {
  const wanted = new Set(outputs);
  const needed: OnnxNode[] = [];
  for (const node of nodes.toReversed()) {
    if (!node.outputs.some((name) => wanted.has(name))) continue;
    needed.push(node);
    for (const name of namesReadBy(node)) wanted.add(name);
  }
  return needed.reverse();
}

/** Returns the names that a node reads, and those that graphs inside of it read. */
export function namesReadBy(node: OnnxNode): string[] {
  const inner = [...node.attributes.values()].flatMap(({ graph }) =>
    graph === undefined ? [] : [...graph.nodes.flatMap(namesReadBy), ...graph.outputs.map(({ name }) => name)]
  );
  return [...node.inputs, ...inner].filter((name) => name !== "");
}
