import type { FloatType } from "../core/dtype.ts";
import { DTYPE_BYTES } from "../core/dtype.ts";
import { sizeOf } from "../core/shape.ts";
import { roundUp } from "../core/round_up.ts";
import { GRADIENT_BLOCK_BYTES } from "../../ops/optimizer/overflow.ts";
import { leafAttrs } from "../graph/leaf.ts";
import type { Tensor } from "../graph/op.ts";
import type { ArenaEntry, ArenaLayout } from "./plan.ts";

/** Packs leaves one after another, each at an offset that is valid for a binding. */
export function packArena(leaves: readonly Tensor[]): ArenaLayout {
  const entries: ArenaEntry[] = [];
  let offset = 0;
  for (const leaf of leaves) {
    const attrs = leafAttrs(leaf)!;
    const bytes = sizeOf(attrs.type.shape) * DTYPE_BYTES[attrs.type.dtype];
    entries.push({
      name: leaf.node.id,
      type: attrs.type,
      initializer: attrs.initializer ?? { kind: "constant", value: 0 },
      offset,
      size: bytes,
    });
    offset += roundUp(bytes, GRADIENT_BLOCK_BYTES);
  }
  return { entries, bytes: offset, dtype: (leaves[0]?.dtype ?? "f32") as FloatType };
}

/** Returns, for each 256-byte block of an arena, the number of elements that belong to a tensor. */
export function validElements(layout: ArenaLayout): Uint32Array<ArrayBuffer> {
  const table = new Uint32Array(layout.bytes / GRADIENT_BLOCK_BYTES);
  const perBlock = GRADIENT_BLOCK_BYTES / DTYPE_BYTES[layout.dtype];
  for (const entry of layout.entries) {
    const first = entry.offset / GRADIENT_BLOCK_BYTES;
    const elements = sizeOf(entry.type.shape);
    for (let block = 0; block * perBlock < elements; block++) {
      table[first + block] = Math.min(perBlock, elements - block * perBlock);
    }
  }
  return table;
}
