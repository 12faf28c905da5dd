/**
 * Groups of nodes that one of Tacho's ops computes. Exporters write layers in their parts; as wholes they have fewer kernels,
 * and names that tables and advice know.
 *
 * @module
 */
import type { OnnxGraph, OnnxNode } from "../format/model.ts";
import type { LoadedModel } from "../loaded_model.ts";
import { attention } from "./attention.ts";
import { linearBias } from "./bias.ts";
import { gelu } from "./gelu.ts";
import { GraphView, isPlain, type Pattern } from "./graph_view.ts";
import { layerNorm } from "./layer_norm.ts";
import { unbind } from "./unbind.ts";

/** The patterns, in the order in which they are looked for. */
const PATTERNS: readonly Pattern[] = [layerNorm, gelu, attention, linearBias, unbind];

/** Returns the graph of a model with the nodes that patterns replace, as far as outputs depend on them. */
export function fuse(model: LoadedModel, outputs: readonly string[]): OnnxGraph {
  return PATTERNS.reduce(
    (graph, pattern) => applied(pattern, new GraphView(model, graph, outputs), graph),
    model.graph,
  );
}

function applied(pattern: Pattern, view: GraphView, graph: OnnxGraph): OnnxGraph {
  const gone = new Set<OnnxNode>();
  const added = new Map<OnnxNode, readonly OnnxNode[]>();
  for (const node of view.nodes) {
    const rewrite = isPlain(node) ? pattern(node, view) : null;
    if (rewrite === null || rewrite.removed.some((removed) => gone.has(removed))) continue;
    for (const removed of rewrite.removed) gone.add(removed);
    added.set(node, rewrite.added);
  }
  const nodes = view.nodes.flatMap((node) => added.get(node) ?? (gone.has(node) ? [] : [node]));
  return { ...graph, nodes };
}
