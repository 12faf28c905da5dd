import { isInstance } from "../core/is_instance.ts";
import { newSha256 } from "../core/sha256.ts";
import type { Node } from "../graph/op.ts";
import type { Segment } from "./plan.ts";

/** Returns a hash of the values of a parameter. Those of a model from a file are too many for JSON. */
function hashOf({ buffer, byteOffset, byteLength }: Float32Array): string {
  return newSha256().update(new Uint8Array(buffer, byteOffset, byteLength)).digest("hex");
}

/** Returns a SHA-256 hash of the graph, the kernels with their uniforms and grids, and the adapter's class. */
export function fingerprint(
  nodes: readonly Node[],
  segments: readonly Segment[],
  adapterClass: string,
): string {
  const hash = newSha256();
  hash.update(adapterClass);
  for (const node of nodes) {
    const facts = [
      node.id,
      node.op.type,
      node.attrs,
      node.inputs.map((input) => `${input.node.id}:${input.index}`),
      node.outputs,
    ];
    hash.update(JSON.stringify(facts, (_, value) => isInstance(value, Float32Array) ? hashOf(value) : value));
  }
  for (const segment of segments) {
    for (const { kernel } of segment.dispatches) {
      hash.update(kernel.wgsl);
      hash.update(JSON.stringify([kernel.grid, [...kernel.uniforms ?? []]]));
    }
  }
  return hash.digest("hex").slice(0, 16);
}
