import assert from "node:assert/strict";
import { matmul } from "../../ops/matmul.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { addProduct, matrix, transposed } from "../support/matmul_reference.ts";
import { checkProducts, draw, type Expected } from "../support/products.ts";

interface Product {
  readonly batch: readonly number[];
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  /** The factor that has no batch dimensions. */
  readonly shared?: "a" | "b";
}

// Shapes share kernels where they can: compiling is what takes the time here.
const SIZES = [[16, 16, 16], [20, 12, 300], [7, 13, 9], [1, 10, 1], [65, 33, 130]] as const;
/** What has several tiles of every size on a GPU, and sums in parts. */
const TILED = [[132, 136, 20], [131, 69, 37], [20, 24, 410]] as const;
const ORDERS = [[false, false], [true, false], [false, true], [true, true]] as const;

for (const dtype of ["f32", "f16"] as const) {
  for (const [transposeA, transposeB] of ORDERS) {
    const title = `matmul ${dtype}${transposeA ? ", a transposed" : ""}${transposeB ? ", b transposed" : ""}`;
    Deno.test(title, async () => {
      for (const [m, n, k] of [...SIZES, ...TILED]) await check({ batch: [], m, n, k, transposeA, transposeB }, dtype);
    });
    Deno.test(`${title}, batches`, async () => {
      const sizes = { m: 9, n: 14, k: 11, transposeA, transposeB };
      await check({ ...sizes, batch: [2, 3] }, dtype);
      await check({ ...sizes, batch: [3], shared: "b" }, dtype);
      await check({ ...sizes, batch: [3], n: 12, m: 16, shared: "b" }, dtype);
      await check({ ...sizes, batch: [2, 2], shared: "a" }, dtype);
    });
  }
}

Deno.test("matmul f32: few columns", async () => {
  for (const n of [1, 4, 5, 8]) {
    await check({ batch: [], m: 9, n, k: 70, transposeA: false, transposeB: false }, "f32");
  }
});

Deno.test("matmul: messages say what does not fit", () => {
  const refused = (a: Shape, b: Shape, message: RegExp, transposeB = false) => {
    const graph = new Graph();
    const [left, right] = [
      graph.leaf("input", "a", rowMajor(a, "f32")),
      graph.leaf("input", "b", rowMajor(b, "f32")),
    ];
    assert.throws(() => matmul(left, right, { transposeB }), (error: Error) => {
      assert.ok(error instanceof InputError, error.stack);
      assert.match(error.message, message);
      return true;
    });
  };
  refused([2, 3], [4, 5], /layer "matmul": .* got 3 and 4 from f32\[2, 3\] and f32\[4, 5\]/);
  refused([2, 3], [3, 5], /got 3 and 5 from f32\[2, 3\] and f32\[3, 5\] transposed/, true);
  refused([2, 2, 3], [3, 3, 5], /Expected the same batch .* got \[2\] and \[3\]/);
  refused([3], [3, 5], /Expected row-major float matrices/);
});

async function check(p: Product, dtype: FloatType): Promise<void> {
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
  const names = ["c", "da", "db"] as const;
  const want = reference(p, values);
  const magnitude = reference(p, {
    a: values.a.map(Math.abs),
    b: values.b.map(Math.abs),
    dc: values.dc.map(Math.abs),
  });
  const expected = names.map((name): Expected => ({ name, values: want[name], magnitude: magnitude[name] }));
  await checkProducts(JSON.stringify(p), [c, da!, db!], new Map(Object.entries(values)), expected);
}

function reference(p: Product, values: { a: Float64Array; b: Float64Array; dc: Float64Array }) {
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
    // da = dc b^T and db = a^T dc, each in the order in which its factor is stored
    if (transposeA) addProduct([k, m, n], b, transposed(dc), result.da, atA);
    else addProduct([m, k, n], dc, transposed(b), result.da, atA);
    if (transposeB) addProduct([n, k, m], transposed(dc), a, result.db, atB);
    else addProduct([k, n, m], transposed(a), dc, result.db, atB);
  }
  return result;
}
