/**
 * Matrix products for GPUs: matrices as factors of `tiled_product.ts`.
 *
 * @module
 */
import type { FloatType } from "../../runtime/core/dtype.ts";
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { elementType, gather, load, store, vectorWidth } from "./access.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import type { MatmulProblem } from "./matmul_problem.ts";
import { type TiledFactor, tiledProduct } from "./tiled_product.ts";

/** `c` is what the product goes to: rows padded to a multiple of four columns, one matrix for each of `splits`. */
export function tiledMatmul(problem: MatmulProblem, parts: 1 | 2, splits: number, c: FloatBuffer): KernelSpec {
  const { a, b, m, n, k, batch } = problem;
  const bias = splits === 1 ? problem.bias : null;
  const [aWidth, bWidth] = [a.order === "columns" ? vectorWidth(m) : 1, b.order === "rows" ? vectorWidth(n) : 1];
  return tiledProduct({
    name: `${problem.name}.${a.order === "rows" ? "n" : "t"}${b.order === "rows" ? "n" : "t"}` +
      `.${a.dtype}_${b.dtype}_${c.dtype}.v${aWidth}${bWidth}`,
    buffers: {
      a: { ref: a.ref, type: elementType(a.dtype, aWidth), access: "read" },
      b: { ref: b.ref, type: elementType(b.dtype, bWidth), access: "read" },
      ...(bias === null ? {} : { bias: { ref: bias.ref, type: elementType(bias.dtype, 1), access: "read" } }),
      c: { ref: c.ref, type: elementType(c.dtype, 4) },
    },
    uniforms: {
      m,
      n,
      k,
      kPerSplit: Math.ceil(k / splits),
      splits,
      aBatch: a.batched ? (m * k) / aWidth : 0,
      bBatch: b.batched ? (k * n) / bWidth : 0,
      cRow: Math.ceil(n / 4),
    },
    a: factor("a", a.order === "rows" ? "k" : "outer", aWidth, a.dtype, "u.m"),
    b: factor("b", b.order === "rows" ? "outer" : "k", bWidth, b.dtype, "u.n"),
    rowParts: parts,
    columnParts: parts,
    range: `let image = wid.z / u.splits;
let begin = (wid.z % u.splits) * u.kPerSplit;
let end = min(begin + u.kPerSplit, u.k);`,
    initial: (column) => bias === null ? "vec4<f32>()" : gather("bias", clamped(column, "u.n"), bias.dtype),
    store: (row, column, value) =>
      `if (${row} < u.m && ${column} < u.n) { ${
        store("c", `(wid.z * u.m + ${row}) * u.cRow + ${column} / 4u`, value, c.dtype, 4)
      } }`,
    rows: m,
    columns: n,
    depth: batch * splits,
  });
}

/** A matrix whose memory is contiguous along `along`; `extent` is the size of its outer dimension. */
function factor(
  name: "a" | "b",
  along: "k" | "outer",
  width: 1 | 4,
  dtype: FloatType,
  extent: string,
): TiledFactor {
  const at = (i: number, j: number) => `${name}At${i}_${j}`;
  const four = [0, 1, 2, 3] as const;
  const batch = `image * u.${name}Batch`;
  if (width === 4) {
    return {
      along,
      setup: (i, outer) => `let ${at(i, 0)} = ${batch} + min(${outer}, ${extent} - 4u) / 4u;`,
      slab: () => "",
      load: (i, k) => load(name, `${k} * (${extent} / 4u) + ${at(i, 0)}`, dtype, 4),
    };
  }
  const step = along === "k" ? " * u.k" : "";
  return {
    along,
    setup: (i, outer) =>
      clamped(outer, extent).map((index, j) => `let ${at(i, j)} = ${batch} + ${index}${step};`).join("\n"),
    slab: () => "",
    load: (i, k) => {
      const indices = four.map((j) => along === "k" ? `${at(i, j)} + ${k}` : `${k} * ${extent} + ${at(i, j)}`);
      return gather(name, indices as [string, string, string, string], dtype);
    },
  };
}

/** Four neighbours from `first` on, none past the end. */
function clamped(first: string, extent: string): [string, string, string, string] {
  const index = (j: number) => `min(${first} + ${j}u, ${extent} - 1u)`;
  return [index(0), index(1), index(2), index(3)];
}
