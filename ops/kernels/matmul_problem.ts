import type { FloatBuffer } from "./float_buffer.ts";

export interface Matrix extends FloatBuffer {
  /** `rows`: stored `[m][k]` or `[k][n]`, as written in the product; `columns`: stored the other way round. */
  readonly order: "rows" | "columns";
  /** Whether it has a batch dimension, rather than being the same for the whole batch. */
  readonly batched: boolean;
}

export interface MatmulProblem {
  readonly name: string;
  readonly a: Matrix;
  readonly b: Matrix;
  /** `[n]` */
  readonly bias: FloatBuffer | null;
  /** `[batch][m][n]`, or `[m][n]` where `sumBatch`. */
  readonly c: FloatBuffer;
  readonly batch: number;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Adds the products of the batch up instead of writing each. */
  readonly sumBatch: boolean;
}
