import type { OnnxNode } from "../format/model.ts";
import type { GraphView } from "./graph_view.ts";

/** Nodes that replace others. */
export interface Rewrite {
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
