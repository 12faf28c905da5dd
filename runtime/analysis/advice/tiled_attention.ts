import { formatMemory } from "../../core/memory.ts";
import { sizeOf } from "../../core/shape.ts";
import type { OpRecord } from "../../result/ops.ts";
import { composedAttention } from "./attention_ops.ts";
import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { isProduct, opTime } from "./op_times.ts";
import { shortened } from "./step_parts.ts";

/** Part of the products of a composed attention, forward and backward, that tiled attention computes once more. */
const AGAIN = 1 / 6;

/** Proposes tiled attention where the script composes it and reading and writing the weights takes time. */
export const tiledAttention = rule("tiled-attention", ["device", "ops"], ({ device, ops, parts, settings }) => {
  if (settings.compile.attention !== "composed") return null;
  const attention = composedAttention(ops);
  if (attention === null) return null;
  const products = attention.ops.filter(isProduct);
  const moving = attention.ops.filter((op) => !isProduct(op));
  const all = opTime(ops);
  const saved = device * (opTime(moving) - AGAIN * opTime(products)) / all;
  const { gain, limit } = shortened(parts, saved);
  return {
    message:
      `Attention reads and writes the weights of ${attention.length} positions for each query: compute it in tiles`,
    evidence: [
      { label: "attention", value: `${ms(attention.time)} of ${ms(all)}`, where: "ops" },
      {
        label: "softmax and dropout of the weights",
        value: `${percent(opTime(moving) / attention.time)} of it, ${formatMemory(weightBytes(moving))} of weights`,
        where: `op:${moving[0]!.id}`,
      },
    ],
    changes: [{ path: "compile.attention", from: "composed", to: "tiled" }],
    gain,
    reasoning: `without the weights in memory, and with one of six products computed again, it saves ${ms(saved)} of ` +
      `the ${ms(device)} that a step takes on the device${limit}`,
  };
});

/** Returns the bytes that the forward ops write. */
function weightBytes(ops: readonly OpRecord[]): number {
  const written = ops.filter(({ phase }) => phase === "forward").flatMap(({ outputs }) => outputs);
  return written.reduce((sum, { shape, dtype }) => sum + sizeOf(shape) * (dtype === "f16" ? 2 : 4), 0);
}
