/**
 * The passes of tiled attention (T. Dao et al., "FlashAttention", 2022) as data, which the kernels of both classes of
 * adapter are generated from. In a pass, a workgroup owns a block of rows, of queries or of keys, and visits the rows of
 * the other side tile by tile:
 *
 * | pass         | owns    | products            | sums                    |
 * | ------------ | ------- | ------------------- | ----------------------- |
 * | `forward`    | queries | s = q k             | y += p v                |
 * | `query_grad` | queries | s = q k, dp = dy v  | dq += ds k              |
 * | `key_grad`   | keys    | s = k q, dp = v dy  | dv += p dy, dk += ds q  |
 *
 * with p = e^(scale s - logSumExp) and ds = p (dp - delta), where delta is the sum of y dy over a row. Nothing of size
 * queries x keys is stored, and every sum has one owner, so that results are the same bits every time.
 *
 * @module
 */

import type { BufferDeclaration, BufferRef, UniformValue } from "../../runtime/device/kernel.ts";
import { elementType, type FloatBuffer, load, vectorWidth } from "./access.ts";
import { PCG4D } from "./random.ts";

/** Matrices `[rows, columns]`, one for each head of each sample, within a buffer. Places and strides are in elements. */
export interface HeadMatrices {
  readonly buffer: FloatBuffer;
  readonly columns: number;
  /** Place of the first element. */
  readonly offset: number;
  readonly batchStride: number;
  readonly headStride: number;
  readonly rowStride: number;
}

/** Names of the matrices, as in the table above. */
export type MatrixName = "q" | "k" | "v" | "y" | "dy" | "dq" | "dk" | "dv";

export interface AttentionSizes {
  readonly n: number;
  readonly heads: number;
  /** Heads of keys and values; each serves `heads / kvHeads` heads of queries. */
  readonly kvHeads: number;
  readonly queries: number;
  readonly keys: number;
}

export interface AttentionProblem extends AttentionSizes {
  /** Factor on the scores. */
  readonly scale: number;
  /** A query attends to the keys up to its own position. */
  readonly causal: boolean;
  /** Maximum number of the latest keys that a query attends to; 0 for no limit. */
  readonly window: number;
  /** Probability that a weight is dropped, the key of the draws, and the step state; null for no dropout. */
  readonly dropout: { readonly p: number; readonly key: number; readonly state: BufferRef } | null;
  readonly matrices: Readonly<Partial<Record<MatrixName, HeadMatrices>>>;
  /** Logarithms of the sums of exponentials, f32 `[n, heads, queries]`. */
  readonly logarithms: BufferRef;
  /** Pairs of these and the sums of y dy, which the backward passes read. */
  readonly pairs?: BufferRef;
}

export interface AttentionPass {
  readonly name: "forward" | "delta" | "query_grad" | "key_grad";
  readonly own: "queries" | "keys";
  /** Products of own rows with rows of the other side: the scores, and in the backward passes the gradients of weights. */
  readonly products: readonly { readonly own: MatrixName; readonly other: MatrixName }[];
  /** Weighted sums of rows of the other side. The weights are p (0) or ds (1). */
  readonly sums: readonly { readonly weights: 0 | 1; readonly other: MatrixName; readonly target: MatrixName }[];
}

export const FORWARD: AttentionPass = {
  name: "forward",
  own: "queries",
  products: [{ own: "q", other: "k" }],
  sums: [{ weights: 0, other: "v", target: "y" }],
};

/** Writes the pairs of logarithms and deltas. */
export const DELTA: AttentionPass = { name: "delta", own: "queries", products: [{ own: "y", other: "dy" }], sums: [] };

export const QUERY_GRAD: AttentionPass = {
  name: "query_grad",
  own: "queries",
  products: [{ own: "q", other: "k" }, { own: "dy", other: "v" }],
  sums: [{ weights: 1, other: "k", target: "dq" }],
};

export const KEY_GRAD: AttentionPass = {
  name: "key_grad",
  own: "keys",
  products: [{ own: "k", other: "q" }, { own: "v", other: "dy" }],
  sums: [{ weights: 0, other: "dy", target: "dv" }, { weights: 1, other: "q", target: "dk" }],
};

/** Lowest finite f32. */
export const LOWEST = "-0x1.fffffep+127";

/** Returns the matrices that a pass reads and writes. */
function matricesOf({ products, sums }: AttentionPass): MatrixName[] {
  return [
    ...new Set([
      ...products.flatMap(({ own, other }) => [own, other]),
      ...sums.flatMap(({ other, target }) => [other, target]),
    ]),
  ];
}

/** Returns matrices of a problem. */
function matrixOf({ matrices }: AttentionProblem, name: MatrixName): HeadMatrices {
  const found = matrices[name];
  if (found === undefined) throw new Error(`No matrices ${name}`);
  return found;
}

/** Returns the number of vectors of four columns in a row; the last may be incomplete. */
export function vectorsOf(problem: AttentionProblem, name: MatrixName): number {
  return Math.ceil(matrixOf(problem, name).columns / 4);
}

/** Declarations that the kernels of a pass share. */
export interface PassCode {
  /** Part of the kernel's name that distinguishes its compiled variants. */
  readonly variant: string;
  readonly buffers: Readonly<Record<string, BufferDeclaration>>;
  readonly uniforms: Readonly<Record<string, UniformValue>>;
  /**
   * WGSL at module scope. For matrices `m`: `m_row(sample, head, row)` returns the place of a row, `m_load(place, k)`
   * columns 4k to 4k + 3 of it, 0 past the last, and `m_store(place, k, value)` writes them. For queries: `high(query)`
   * and `low(query)` are the bounds of the keys that it attends to, the first included. With dropout, `kept(e)` is the
   * factor on weight `e`.
   */
  readonly prelude: string;
}

/** Returns the declarations of a pass. */
export function passCode(problem: AttentionProblem, pass: AttentionPass): PassCode {
  const { n, heads, kvHeads, queries, keys, scale, causal, window, logarithms, pairs } = problem;
  const dropout = pass.name === "delta" ? null : problem.dropout;
  const buffers: Record<string, BufferDeclaration> = {};
  const uniforms: Record<string, UniformValue> = {
    n,
    heads,
    kvHeads,
    group: heads / kvHeads,
    queries,
    keys,
    // Keys that query 0 attends to; each further query attends to one more
    visible: causal ? 1 : keys,
    window: window || keys,
    scale: { f32: scale },
  };
  const functions: string[] = [];
  const variants: string[] = [];
  const named = new Map<string, string>();
  for (const name of matricesOf(pass)) {
    const { buffer, columns, offset, batchStride, headStride, rowStride } = matrixOf(problem, name);
    const width = vectorWidth(columns);
    const type = elementType(buffer.dtype, width);
    const owner = JSON.stringify(buffer.ref);
    const variable = named.get(owner) ?? `${name}_`;
    named.set(owner, variable);
    buffers[variable] = { ref: buffer.ref, type };
    Object.assign(uniforms, {
      [`${name}Offset`]: offset / width,
      [`${name}Batch`]: batchStride / width,
      [`${name}Head`]: headStride / width,
      [`${name}Row`]: rowStride / width,
      [`${name}Columns`]: columns,
    });
    functions.push(accessOf(name, variable, buffer, width, pass.sums.some(({ target }) => target === name)));
    variants.push(`${buffer.dtype}.x${width}`);
  }
  if (pass.name === "forward" || pass.name === "delta") buffers["logarithms_"] = { ref: logarithms, type: "f32" };
  if (pass.name !== "forward") {
    if (pairs === undefined) throw new Error("No pairs of rows");
    const access = pass.name === "delta" ? "read_write" : "read";
    buffers["pairs_"] = { ref: pairs, type: "vec2<f32>", access };
  }
  functions.push(`fn high(query: u32) -> u32 { return min(query + u.visible, u.keys); }
fn low(query: u32) -> u32 { return high(query) - min(high(query), u.window); }`);
  if (dropout !== null) {
    buffers["state"] = { ref: dropout.state, type: "u32" };
    Object.assign(uniforms, {
      key: dropout.key,
      // A draw is a multiple of 2^-24, so comparing integers is exact
      dropBelow: Math.ceil(dropout.p * 2 ** 24),
      keep: { f32: 1 / (1 - dropout.p) },
    });
    functions.push(
      PCG4D,
      `fn kept(e: u32) -> f32 {
  let draw = pcg4d(vec4<u32>(state[0], state[1], u.key, e / 4u))[e % 4u];
  return select(0.0, u.keep, (draw >> 8u) >= u.dropBelow);
}`,
    );
  }
  return {
    variant: `${pass.name}${dropout === null ? "" : ".dropout"}.${[...new Set(variants)].join("-")}`,
    buffers,
    uniforms,
    prelude: functions.join("\n"),
  };
}

/** Returns the functions that access matrices; see {@linkcode PassCode.prelude}. */
function accessOf(name: MatrixName, variable: string, { dtype }: FloatBuffer, width: 1 | 4, written: boolean): string {
  const row = `fn ${name}_row(sample: u32, head: u32, row: u32) -> u32 {
  return u.${name}Offset + sample * u.${name}Batch + head * u.${name}Head + row * u.${name}Row;
}`;
  if (written) {
    const single = dtype === "f32" ? "value[j]" : `${dtype}(value[j])`;
    return `${row}
fn ${name}_store(place: u32, k: u32, value: vec4<f32>) {
  ${
      width === 4
        ? `${variable}[place + k] = ${dtype === "f32" ? "value" : `vec4<${dtype}>(value)`};`
        : `for (var j = 0u; j < min(4u, u.${name}Columns - 4u * k); j++) { ${variable}[place + 4u * k + j] = ${single}; }`
    }
}`;
  }
  if (width === 4) {
    return `${row}
fn ${name}_load(place: u32, k: u32) -> vec4<f32> { return ${load(variable, "place + k", dtype, 4)}; }`;
  }
  const at = (lane: string) => load(variable, `place + column.${lane}`, dtype, 1);
  return `${row}
fn ${name}_load(place: u32, k: u32) -> vec4<f32> {
  let wanted = 4u * k + vec4<u32>(0u, 1u, 2u, 3u);
  let column = min(wanted, vec4<u32>(u.${name}Columns - 1u));
  let value = vec4<f32>(${["x", "y", "z", "w"].map(at).join(", ")});
  return select(vec4<f32>(), value, wanted < vec4<u32>(u.${name}Columns));
}`;
}

/** Joins a line for each lane of a vector. */
export function each(line: (lane: string) => string): string {
  return ["x", "y", "z", "w"].map(line).join(", ");
}

/** Declares `kept4`, the factors of dropout of four weights; "" without dropout. */
export function keptQuads(dropout: AttentionProblem["dropout"]): string {
  if (dropout === null) return "";
  return `fn kept4(e: vec4<u32>) -> vec4<f32> { return vec4<f32>(${each((lane) => `kept(e.${lane})`)}); }`;
}

/**
 * Returns the uniforms with the vectors of each product's rows, and the last vector of each target.
 *
 * @param targets vectors of each target's rows
 */
export function vectorCounts(
  problem: AttentionProblem,
  { products }: AttentionPass,
  targets: readonly number[],
): Record<string, number> {
  return Object.fromEntries([
    ...products.map(({ own }, i) => [`vectors${i}`, vectorsOf(problem, own)] as const),
    ...targets.map((count, i) => [`last${i}`, count - 1] as const),
  ]);
}
