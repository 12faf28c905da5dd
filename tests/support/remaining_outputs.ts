import type { Node, Tensor } from "../../runtime/graph/op.ts";

/**
 * Returns the indices of the outputs that depend on a node with a candidate at index `choice`. The others have run with all
 * of their candidates.
 *
 * @param counts number of candidates of each node; a node without one has not run
 */
export function remainingOutputs(
  outputs: readonly Tensor[],
  counts: ReadonlyMap<Node, number>,
  choice: number,
): number[] {
  const known = new Map<Node, boolean>();
  const remains = (node: Node): boolean => {
    let found = known.get(node);
    if (found === undefined) {
      found = (counts.get(node) ?? 0) > choice || node.inputs.some((input) => remains(input.node));
      known.set(node, found);
    }
    return found;
  };
  return [...outputs.keys()].filter((i) => choice === 0 || remains(outputs[i]!.node));
}
