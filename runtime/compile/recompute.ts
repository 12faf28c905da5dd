import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { leafAttrs } from "../graph/leaf.ts";
import type { Node, Tensor } from "../graph/op.ts";
import { type Program, rewriteGraph } from "./rewrite.ts";

/** End of the layers that mixed precision adds around conversions, which scripts do not name. */
const CONVERSION = ".cast";

/** Layers whose activations the backward pass computes again. */
export type RecomputeSetting = "none" | "blocks" | readonly string[];

/** Last name of a block's path: a number, as of the layers of a `sequential`, or a name with a number. */
const NUMBERED = [/^(\w+_)?\d+$/, /^[A-Za-z_]+\d+$/];

/**
 * Lets the backward pass compute activations again instead of keeping them from the forward pass (T. Chen et al., "Training
 * Deep Nets with Sublinear Memory Cost", 2016). Only what enters or leaves a block is kept. A copy has the node's layer and
 * random draws, and belongs to the backward pass; it runs just before the first node that reads it. Ops that change a
 * buffer are copied only if they have attributes with which they do not.
 *
 * @param roots tensors that the plan computes
 * @returns the new program, and `roots` in it
 * @throws {InputError} if the model has no block, or a pattern matches no layer
 */
export function recompute(
  program: Program,
  roots: readonly Tensor[],
  setting: RecomputeSetting,
): { program: Program; roots: readonly Tensor[] } {
  if (setting === "none") return { program, roots };
  const { graph } = program;
  const forward = graph.nodes.filter((node) => node.phase === "forward" && leafAttrs({ node }) === null);
  const blocks = setting === "blocks" ? numberedBlocks(forward) : matchedBlocks(forward, setting);
  const kept = new Set([...roots, program.output].map(({ node }) => node));
  for (const reader of forward) {
    for (const { node } of reader.inputs) if (blocks.get(node) !== blocks.get(reader)) kept.add(node);
  }
  const again = new Set(
    [...blocks.keys()].filter((node) =>
      !kept.has(node) && (node.op.mutates === undefined || node.op.recomputed !== undefined)
    ),
  );
  const copies = new Map<Node, Tensor[]>();
  const { graph: rewritten, map } = rewriteGraph(graph, graph.nodes, (node, _inputs, target, map) => {
    if (node.phase === "forward") return null;
    const value = (tensor: Tensor): Tensor => {
      if (!again.has(tensor.node)) return map(tensor);
      let made = copies.get(tensor.node);
      if (made === undefined) {
        made = target.replayAgain(tensor.node, tensor.node.inputs.map(value));
        copies.set(tensor.node, made);
      }
      return made[tensor.index]!;
    };
    return target.replay(node, node.inputs.map(value));
  });
  return {
    program: {
      graph: rewritten,
      output: map(program.output),
      loss: program.loss === null ? null : map(program.loss),
    },
    roots: roots.map(map),
  };
}

/** Returns the block of each node that is in one: the shortest numbered scope around it that has several layers. */
function numberedBlocks(nodes: readonly Node[]): Map<Node, string> {
  const layers = new Map<string, Set<string>>();
  for (const { layer } of nodes) {
    for (const prefix of prefixesOf(layer)) {
      const known = layers.get(prefix) ?? new Set();
      layers.set(prefix, known.add(layer));
    }
  }
  const blocks = new Map<Node, string>();
  for (const node of nodes) {
    const around = prefixesOf(node.layer).filter((prefix) => layers.get(prefix)!.size > 1);
    const block = NUMBERED.map((form) => around.find((prefix) => form.test(prefix.split(".").at(-1)!)))
      .find((found) => found !== undefined);
    if (block !== undefined) blocks.set(node, block);
  }
  if (blocks.size === 0) {
    throw new InputError(
      'recompute: the model has no blocks, which are numbered scopes of several layers such as "layer1.0"; name the ' +
        "layers in a list, such as recompute: [encoder]",
    );
  }
  return blocks;
}

/** Returns the block of each node that is in one: the first scope around it that matches a pattern. */
function matchedBlocks(nodes: readonly Node[], patterns: readonly string[]): Map<Node, string> {
  const blocks = new Map<Node, string>();
  for (const pattern of patterns) {
    const form = new RegExp(`^${pattern.split("*").map((part) => RegExp.escape(part)).join("[^.]*")}$`);
    let matched = false;
    for (const node of nodes) {
      const block = scopesOf(node).find((prefix) => form.test(prefix));
      if (block === undefined) continue;
      matched = true;
      if (!blocks.has(node)) blocks.set(node, block);
    }
    if (!matched) {
      const own = nodes.filter(({ layer }) => !layer.endsWith(CONVERSION));
      const names = [...new Set(own.flatMap(scopesOf))];
      throw new InputError(`recompute: no layer is called "${pattern}"${suggestion(pattern, names)}`);
    }
  }
  return blocks;
}

/** Returns the scopes and the layer of a node, then those of the layers that were fused into it, such as an activation. */
function scopesOf({ layer, members = [] }: Node): string[] {
  return [layer, ...members.map(({ id }) => id.replace(/#\d+$/, ""))].flatMap(prefixesOf);
}

/** Returns the scopes around a layer, outermost first, and the layer. */
function prefixesOf(layer: string): string[] {
  const parts = layer.split(".");
  return parts.map((_, i) => parts.slice(0, i + 1).join("."));
}
