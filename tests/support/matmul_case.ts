/** Checks of matrix products and their gradients against plain loops. */
import assert from "node:assert/strict";
import { matmul } from "../../ops/matmul.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { checkProducts, draw, expectedOf, type ProductOptions } from "./products.ts";

export interface MatmulCase {
  readonly batch: readonly number[];
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  /** Factor without batch dimensions. */
  readonly shared?: "a" | "b";
}

/** Checks a product and its gradients. */
export async function checkMatmul(p: MatmulCase, dtype: FloatType, options: ProductOptions = {}): Promise<void> {
  const { m, n, k, transposeA, transposeB } = p;
  const graph = new Graph();
  const shapes = {
    a: [...(p.shared === "a" ? [] : p.batch), ...(transposeA ? [k, m] : [m, k])],
    b: [...(p.shared === "b" ? [] : p.batch), ...(transposeB ? [n, k] : [k, n])],
  };
  const a = graph.leaf("parameter", "a", rowMajor(shapes.a, dtype));
  const b = graph.leaf("parameter", "b", rowMajor(shapes.b, dtype));
  const c = matmul(a, b, { transposeA, transposeB });
  const dc = graph.leaf("input", "dc", c.type);
  const [da, db] = differentiate(c, dc, [a, b], () => assert.fail("nothing to accumulate"));
  assert.deepEqual(da!.shape, a.shape);
  assert.deepEqual(db!.shape, b.shape);
  const values = {
    a: draw(sizeOf(shapes.a), dtype, 1),
    b: draw(sizeOf(shapes.b), dtype, 2),
    dc: draw(sizeOf(c.shape), dtype, 3),
  };
  const expected = expectedOf(values, (v) => reference(p, v));
  await checkProducts(JSON.stringify(p), [c, da!, db!], new Map(Object.entries(values)), expected, options);
}

function reference(p: MatmulCase, values: { a: Float64Array; b: Float64Array; dc: Float64Array }) {
  const { m, n, k, transposeA, transposeB } = p;
  const result = {
    c: new Float64Array(values.dc.length),
    da: new Float64Array(values.a.length),
    db: new Float64Array(values.b.length),
  };
  for (let image = 0; image < sizeOf(p.batch); image++) {
    const atA = p.shared === "a" ? 0 : image * m * k;
    const atB = p.shared === "b" ? 0 : image * k * n;
    const a = transposeA ? transposed(matrix(values.a, m, atA)) : matrix(values.a, k, atA);
    const b = transposeB ? transposed(matrix(values.b, k, atB)) : matrix(values.b, n, atB);
    const dc = matrix(values.dc, n, image * m * n);
    addProduct([m, n, k], a, b, result.c, image * m * n);
    // da = dc b^T and db = a^T dc, each stored like its factor
    if (transposeA) addProduct([k, m, n], b, transposed(dc), result.da, atA);
    else addProduct([m, k, n], dc, transposed(b), result.da, atA);
    if (transposeB) addProduct([n, k, m], transposed(dc), a, result.db, atB);
    else addProduct([k, n, m], transposed(a), dc, result.db, atB);
  }
  return result;
}

/** A matrix inside a buffer: element (row, column) is at `offset + row * rowStep + column * columnStep`. */
interface MatrixView {
  readonly data: ArrayLike<number>;
  readonly offset: number;
  readonly rowStep: number;
  readonly columnStep: number;
}

/** Returns a view of `[rows, columns]`, stored row by row at `offset`. */
function matrix(data: ArrayLike<number>, columns: number, offset = 0): MatrixView {
  return { data, offset, rowStep: columns, columnStep: 1 };
}

function transposed(view: MatrixView): MatrixView {
  return { ...view, rowStep: view.columnStep, columnStep: view.rowStep };
}

/** Adds `a [m, k]` times `b [k, n]` to `out` `[m, n]` from `offset` on. */
function addProduct(
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
