/**
 * Attention position by position and head by head, in double precision.
 *
 * @module
 */
import type { Shape } from "../../runtime/core/shape.ts";
import type { Values } from "./op_case.ts";

export interface AttentionCase {
  readonly causal?: boolean;
  readonly window?: number;
  readonly scale?: number;
  /** Returns the factor on weight `e` of the tensor of all weights. */
  readonly kept?: (e: number) => number;
}

/** A head's matrices within values: the place of element `[row, column]` of a sample. */
export type PlaceOf = (sample: number, head: number, row: number, column: number) => number;

/** Sizes and places of queries, keys and values. */
export interface AttentionLayout {
  readonly n: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly queries: number;
  readonly keys: number;
  readonly features: number;
  readonly values: number;
  readonly q: PlaceOf;
  readonly k: PlaceOf;
  readonly v: PlaceOf;
  readonly y: PlaceOf;
}

/** Returns the layout of tensors `[n, heads, t, features]`, or `[n, t, heads, features]` by positions. */
export function separateLayout(q: Shape, k: Shape, v: Shape, order: "heads" | "positions"): AttentionLayout {
  const [head, row] = order === "heads" ? [1, 2] : [2, 1];
  const places = (heads: number, rows: number, columns: number): PlaceOf => (n, h, i, c) =>
    order === "heads" ? ((n * heads + h) * rows + i) * columns + c : ((n * rows + i) * heads + h) * columns + c;
  const [heads, kvHeads, queries, keys] = [q[head]!, k[head]!, q[row]!, k[row]!];
  const [features, values] = [q[3]!, v[3]!];
  return {
    ...{ n: q[0]!, heads, kvHeads, queries, keys, features, values },
    q: places(heads, queries, features),
    k: places(kvHeads, keys, features),
    v: places(kvHeads, keys, values),
    y: places(heads, queries, values),
  };
}

/** Returns the layout of queries, keys and values side by side in `[n, t, (heads + 2 kvHeads) features]`. */
export function joinedLayout(n: number, t: number, heads: number, kvHeads: number, features: number): AttentionLayout {
  const columns = (heads + 2 * kvHeads) * features;
  const places = (first: number): PlaceOf => (sample, h, i, c) =>
    (sample * t + i) * columns + (first + h) * features + c;
  return {
    ...{ n, heads, kvHeads, queries: t, keys: t, features, values: features },
    q: places(0),
    k: places(heads),
    v: places(heads + kvHeads),
    y: (sample, h, i, c) => ((sample * t + i) * heads + h) * features + c,
  };
}

/** Returns attention's output. */
export function attentionReference(
  { q, k, v }: Readonly<Record<"q" | "k" | "v", Values>>,
  layout: AttentionLayout,
  { causal = false, window = 0, scale, kept = () => 1 }: AttentionCase,
): Float64Array {
  const { n, heads, kvHeads, queries, keys, features, values } = layout;
  const factor = scale ?? features ** -0.5;
  const y = new Float64Array(n * heads * queries * values);
  for (let sample = 0; sample < n; sample++) {
    for (let head = 0; head < heads; head++) {
      const shared = Math.floor(head * kvHeads / heads);
      for (let i = 0; i < queries; i++) {
        const high = causal ? Math.min(i + 1, keys) : keys;
        const low = causal && window > 0 ? Math.max(0, high - window) : 0;
        const powers: number[] = [];
        let total = 0;
        for (let j = low; j < high; j++) {
          let score = 0;
          for (let c = 0; c < features; c++) {
            score += q[layout.q(sample, head, i, c)]! * k[layout.k(sample, shared, j, c)]!;
          }
          const power = Math.exp(factor * score);
          powers.push(power);
          total += power;
        }
        powers.forEach((power, at) => {
          const j = low + at;
          const weight = power / total * kept(((sample * heads + head) * queries + i) * keys + j);
          for (let c = 0; c < values; c++) {
            y[layout.y(sample, head, i, c)]! += weight * v[layout.v(sample, shared, j, c)]!;
          }
        });
      }
    }
  }
  return y;
}
