import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape } from "../runtime/core/shape.ts";
import { leafAttrs } from "../runtime/graph/leaf.ts";
import { type OpDef, placeOf, type Tensor } from "../runtime/graph/op.ts";
import { isImages } from "../runtime/graph/types.ts";
import type { NoAttrs } from "./activation.ts";
import { toLayout } from "./to_layout.ts";

/** Marks the value that a buffer or the position has from the next step on. Inputs: value, buffer. Output: the value. */
export const assignOp: OpDef<NoAttrs> = {
  type: "assign",
  precision: "fixed",
  shape: ([value]) => [value!],
  cost: () => ({ flops: 0, bytes: 0 }),
  isView: () => true,
  candidates: () => [],
};

/** Options of {@linkcode assign}. */
export interface AssignOptions {
  /** Sets the buffer in inference too, such as a cache of keys and values. Default: false, only in training. */
  readonly inference?: boolean;
}

/**
 * Sets a `buffer()` of a layer at the end of a step, such as a running mean: whatever reads the buffer in this step,
 * forward or backward, reads the old value, the next step the new one. Outside of training it does nothing, unless the
 * options say so.
 *
 * @param target what the buffer's function returned
 * @param value tensor of the buffer's shape; no gradient flows through the buffer
 *
 * @example A layer that subtracts a running mean of its input
 * ```ts
 * import { add, assign, buffer, type Layer, layer, mean, mul, sub } from "@tacho/tacho";
 *
 * function centered(momentum = 0.1): Layer {
 *   const running = buffer("mean", (x) => [x.shape.at(-1)!]);
 *   return layer((x) => {
 *     const old = running(x);
 *     assign(old, add(mul(old, 1 - momentum), mul(mean(x, { axes: [0] }), momentum)));
 *     return sub(x, old);
 *   });
 * }
 * ```
 *
 * @throws {InputError} if `target` is no buffer or was set before, or the shapes differ
 */
export function assign(target: Tensor, value: Tensor, { inference = false }: AssignOptions = {}): void {
  const { graph, node } = target;
  const kind = leafAttrs(target)?.kind;
  if (kind !== "state" && kind !== "position") {
    throw new InputError(`assign: expected the tensor of a buffer(), got the output of "${placeOf(node.id)}"`);
  }
  if (!sameShape(target.shape, value.shape)) {
    throw new InputError(
      `assign: buffer "${node.id}" has shape ${formatShape(target.shape)}, got a value of ${formatShape(value.shape)}`,
    );
  }
  if (assignments(graph.nodes).some(([known]) => known.node === node)) {
    throw new InputError(`assign: buffer "${node.id}" is set twice in a step; compute one value from both`);
  }
  if (graph.mode !== "train" && !inference) return;
  graph.apply(assignOp, {}, [isImages(value.type) ? toLayout(value, "row") : value, target]);
}

/** Returns the buffers that nodes set, and their new values. */
export function assignments(nodes: Tensor["graph"]["nodes"]): [target: Tensor, value: Tensor][] {
  return nodes.filter(({ op }) => (op as OpDef<never>) === assignOp)
    .map(({ inputs: [value, target] }) => [target!, value!]);
}
