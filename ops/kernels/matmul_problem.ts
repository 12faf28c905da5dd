import type { FloatBuffer } from "./access.ts";

export interface Matrix extends FloatBuffer {
  /** `rows`: stored as `[m][k]` or `[k][n]`, as in the product; `columns`: stored transposed. */
  readonly order: "rows" | "columns";
  /** True if the matrix has a batch dimension, false if the whole batch shares one matrix. */
  readonly batched: boolean;
}

export interface MatmulProblem {
  readonly name: string;
  readonly a: Matrix;
  readonly b: Matrix;
  /** `[n]` */
  readonly bias: FloatBuffer | null;
  /** `[batch][m][n]`, or `[m][n]` with `sumBatch`. */
  readonly c: FloatBuffer;
  readonly batch: number;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Sums the products over the batch instead of writing each. */
  readonly sumBatch: boolean;
}
