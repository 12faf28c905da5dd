/**
 * WGSL and uniforms that both forms of tiled attention use, whose invocations compute four rows at a time.
 *
 * @module
 */
import { type AttentionPass, type AttentionProblem, vectorsOf } from "./attention_pass.ts";

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
