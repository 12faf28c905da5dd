import type { OpRecord } from "../../result/ops.ts";
import { isProduct, opTime } from "./op_times.ts";

/** Ops of a step that compute attention. */
export interface AttentionOps {
  readonly ops: readonly OpRecord[];
  /** Positions that a query attends to at most, in the longest attention. */
  readonly length: number;
  /** Time of the ops in a step: ms. */
  readonly time: number;
}

/**
 * Returns the ops of attention that is composed of products and a softmax: in each layer, those that read or write its
 * matrices of weights, queries x keys. Null if no layer has them.
 */
export function composedAttention(ops: readonly OpRecord[]): AttentionOps | null {
  const found: OpRecord[] = [];
  let length = 0;
  for (const layer of Map.groupBy(ops, ({ layer }) => layer).values()) {
    const weights = layer.filter(({ roles }) => roles.includes("attention") && !roles.includes("product"))
      .flatMap(({ outputs }) => outputs.slice(0, 1).map(({ shape }) => shape)).filter(({ length }) => length > 2);
    const touches = ({ inputs, outputs }: OpRecord) =>
      [...inputs, ...outputs].some(({ shape }) => weights.some((matrix) => endsAlike(shape, matrix)));
    // A softmax of something else has no products beside it
    if (!layer.some((op) => isProduct(op) && touches(op))) continue;
    found.push(...layer.filter(touches));
    length = Math.max(length, ...weights.map((matrix) => matrix.at(-1)!));
  }
  return found.length === 0 ? null : { ops: found, length, time: opTime(found) };
}

/** Returns the ops of composed and of tiled attention; null if there are none. */
export function attentionOps(ops: readonly OpRecord[]): AttentionOps | null {
  const composed = composedAttention(ops);
  const tiled = ops.filter((op) => op.roles.includes("attention") && isProduct(op));
  const all = [...composed?.ops ?? [], ...tiled];
  if (all.length === 0) return null;
  // The second output of a forward op has a number per query
  const lengths = tiled.flatMap(({ phase, outputs }) => phase === "forward" ? outputs[1]?.shape.at(-1) ?? [] : []);
  return { ops: all, length: Math.max(composed?.length ?? 0, ...lengths), time: opTime(all) };
}

/** Returns true for tensors of the same last dimension and the same number of elements, such as merged heads. */
function endsAlike(a: readonly number[], b: readonly number[]): boolean {
  const size = (shape: readonly number[]) => shape.reduce((product, n) => product * n, 1);
  return a.length > 1 && a.at(-1) === b.at(-1) && size(a) === size(b);
}
