/**
 * Checks of a graph before its kernels are generated, which takes seconds for a large model.
 *
 * @module
 */
import type { DeviceTraits } from "../device/traits.ts";
import { leafAttrs, leafOp } from "../graph/leaf.ts";
import type { Node, OpDef, Tensor } from "../graph/op.ts";
import { checkBinding, checkLeafBinding } from "./adapter_limits.ts";
import { bytesOf, isView, lastUses, ownerOf, type Placement, sourceOf } from "./views.ts";

/**
 * Checks the tensors that kernels will bind.
 *
 * @throws {InputError} if the adapter cannot bind one of them at once
 */
export function checkTensors(nodes: readonly Node[], traits: DeviceTraits): void {
  for (const node of nodes) {
    if (!hasKernel(node)) continue;
    for (const input of node.inputs) {
      const source = sourceOf(input);
      const kind = leafAttrs(source)?.kind;
      if (kind === "parameter" || kind === "state") checkLeafBinding(source.node.id, source.type, traits);
      else checkBinding(bytesOf(source.type), inputName(node, input), traits);
    }
    for (const type of node.outputs) checkBinding(bytesOf(type), node.id, traits);
  }
}

/** Returns the name of a node's input in messages: the node that makes it, or the leaf that the node reads. */
export function inputName(node: Node, { node: { id } }: Tensor): string {
  return id.startsWith("@") ? `${node.id} (${id.slice(1)})` : id;
}

/**
 * Returns the minimum bytes of the slots: the largest sum of the tensors that are still needed after a node. Scratch
 * memory, and inputs that a node cannot overwrite, come on top.
 */
export function leastSlotBytes(nodes: readonly Node[], roots: readonly Tensor[], placed: Placement): number {
  const lastUse = lastUses(nodes, roots);
  const live = new Map<string, number>();
  let [bytes, most] = [0, 0];
  nodes.forEach((node, at) => {
    if (!hasKernel(node)) return;
    node.outputs.forEach((type, index) => {
      const tensor = { node, index, type } as Tensor;
      if (placed(tensor) !== null || (lastUse.get(ownerOf(tensor)) ?? at) <= at) return;
      live.set(ownerOf(tensor), bytesOf(type));
      bytes += bytesOf(type);
    });
    for (const owner of new Set(node.inputs.map(ownerOf))) {
      if (lastUse.get(owner) !== at) continue;
      bytes -= live.get(owner) ?? 0;
      live.delete(owner);
    }
    most = Math.max(most, bytes);
  });
  return most;
}

/** Returns true if the node runs a kernel: it is neither a leaf nor a view. */
export function hasKernel(node: Node): boolean {
  return (node.op as OpDef<never>) !== leafOp && !isView(node);
}
