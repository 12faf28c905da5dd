/** Matrix products as plain loops in double precision. */

/** A matrix inside a buffer: element (row, column) is at `offset + row * rowStep + column * columnStep`. */
export interface MatrixView {
  readonly data: ArrayLike<number>;
  readonly offset: number;
  readonly rowStep: number;
  readonly columnStep: number;
}

/** Returns a view of `[rows, columns]`, stored row by row at `offset`. */
export function matrix(data: ArrayLike<number>, columns: number, offset = 0): MatrixView {
  return { data, offset, rowStep: columns, columnStep: 1 };
}

export function transposed(view: MatrixView): MatrixView {
  return { ...view, rowStep: view.columnStep, columnStep: view.rowStep };
}

/** Adds `a [m, k]` times `b [k, n]` to `out` `[m, n]` from `offset` on. */
export function addProduct(
  [m, n, k]: readonly [number, number, number],
  a: MatrixView,
  b: MatrixView,
  out: Float64Array = new Float64Array(m * n),
  offset = 0,
): Float64Array {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let l = 0; l < k; l++) {
        sum += a.data[a.offset + i * a.rowStep + l * a.columnStep]! *
          b.data[b.offset + l * b.rowStep + j * b.columnStep]!;
      }
      out[offset + i * n + j]! += sum;
    }
  }
  return out;
}
