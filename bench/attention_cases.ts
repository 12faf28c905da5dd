/**
 * Tiled attention as cases of `kernels.ts`.
 *
 * @module
 */
import { add } from "../ops/add.ts";
import { scaledDotProductAttention } from "../ops/scaled_dot_product_attention.ts";
import type { FloatType } from "../runtime/core/dtype.ts";
import { differentiate } from "../runtime/graph/autograd.ts";
import { Graph } from "../runtime/graph/graph.ts";
import { rowMajor } from "../runtime/graph/types.ts";
import type { KernelCase } from "./kernel_case.ts";

/** Yields causal attention of 512 positions and of 2048. */
export function* attentionCases(dtype: FloatType): Generator<KernelCase> {
  for (const [n, heads, t, features] of [[2, 4, 512, 64], [1, 4, 2048, 32]] as const) {
    const graph = new Graph("train", "nhwc", "tiled");
    const leaves = ["q", "k", "v"].map((name) => graph.leaf("input", name, rowMajor([n, heads, t, features], dtype)));
    const y = scaledDotProductAttention(leaves[0]!, leaves[1]!, leaves[2]!, { causal: true });
    const name = `attention ${[n, heads, t, features].join("x")}`;
    /** Returns the weights of a row of queries, numbered over all heads. */
    const weightsOf = (row: number, q: Float32Array, k: Float32Array): number[] => {
      const first = Math.floor(row / t) * t;
      const powers = Array.from({ length: row % t + 1 }, (_, j) => {
        let score = 0;
        for (let c = 0; c < features; c++) score += q[row * features + c]! * k[(first + j) * features + c]!;
        return Math.exp(score / Math.sqrt(features));
      });
      const total = powers.reduce((a, b) => a + b, 0);
      return powers.map((power) => power / total);
    };
    const valueOf = (i: number, q: Float32Array, k: Float32Array, v: Float32Array): number => {
      const row = Math.floor(i / features);
      const first = Math.floor(row / t) * t;
      return weightsOf(row, q, k).reduce(
        (sum, weight, j) => sum + weight * v[(first + j) * features + i % features]!,
        0,
      );
    };
    yield {
      name: `${name} forward`,
      output: y,
      reference: (i, [q, k, v]) => valueOf(i, q!, k!, v!),
    };
    const [dq] = differentiate(y, graph.leaf("input", "dy", y.type), leaves, add);
    // Drawn inputs do not fit together, so the reference takes y and the logarithms as they are given
    yield {
      name: `${name} gradients`,
      output: dq!,
      reference(i, [dy, y, logarithms, q, k, v]) {
        const [row, column] = [Math.floor(i / features), i % features];
        const first = Math.floor(row / t) * t;
        let sum = 0;
        for (let j = first; j <= row; j++) {
          let [score, dp, delta] = [0, 0, 0];
          for (let c = 0; c < features; c++) {
            score += q![row * features + c]! * k![j * features + c]!;
            dp += dy![row * features + c]! * v![j * features + c]!;
            delta += dy![row * features + c]! * y![row * features + c]!;
          }
          const p = Math.exp(score / Math.sqrt(features) - logarithms![row]!);
          sum += p * (dp - delta) / Math.sqrt(features) * k![j * features + column]!;
        }
        return sum;
      },
    };
  }
}
