/**
 * Matrix products for GPUs: matrices as factors of `tiled_product.ts`.
 *
 * @module
 */
import type { FloatType } from "../../runtime/core/dtype.ts";
import { roundUp } from "../../runtime/core/round_up.ts";
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, gather, load, store, vectorWidth } from "./access.ts";
import type { MatmulProblem } from "./matmul.ts";
import { type TiledFactor, tiledProduct, type TiledTile } from "./tiled_product.ts";
import { declare } from "./tensors.ts";

/** Returns the kernel. It writes to `c`: one matrix per split, whose rows are padded to a multiple of four columns. */
export function tiledMatmul(
  problem: MatmulProblem,
  tile: TiledTile,
  splits: number,
  c: FloatBuffer,
  traits: DeviceTraits,
): KernelSpec {
  const { a, b, m, n, k, batch } = problem;
  const bias = splits === 1 ? problem.bias : null;
  const [aWidth, bWidth] = [vectorWidth(a.order === "rows" ? k : m), vectorWidth(b.order === "rows" ? n : k)];
  return tiledProduct({
    name: `${problem.name}.${a.order === "rows" ? "n" : "t"}${b.order === "rows" ? "n" : "t"}` +
      `.${a.dtype}_${b.dtype}_${c.dtype}.v${aWidth}${bWidth}`,
    buffers: {
      a: { ref: a.ref, type: elementType(a.dtype, aWidth), access: "read" },
      b: { ref: b.ref, type: elementType(b.dtype, bWidth), access: "read" },
      ...(bias === null ? {} : { bias: { ref: bias.ref, type: elementType(bias.dtype, 1), access: "read" } }),
      c: declare(c, 4),
    },
    uniforms: {
      m,
      n,
      k,
      kPerSplit: roundUp(Math.ceil(k / splits), 4),
      splits,
      aBatch: a.batched ? (m * k) / aWidth : 0,
      bBatch: b.batched ? (k * n) / bWidth : 0,
      cRow: Math.ceil(n / 4),
    },
    a: factor("a", a.order === "rows" ? "k" : "outer", aWidth, a.dtype, "u.m"),
    b: factor("b", b.order === "rows" ? "outer" : "k", bWidth, b.dtype, "u.n"),
    tile,
    range: `let image = wid.z / u.splits;
let begin = (wid.z % u.splits) * u.kPerSplit;
let end = min(begin + u.kPerSplit, u.k);`,
    initial: (column) => bias === null ? "vec4<f32>()" : gather("bias", clamped(column, "u.n"), bias.dtype),
    store: (row, column, value) =>
      `if (${row} < u.m && ${column} < u.n) { ${
        store("c", `(wid.z * u.m + ${row}) * u.cRow + ${column} / 4u`, value, c, 4)
      } }`,
    rows: m,
    columns: n,
    depth: batch * splits,
    traits,
  });
}

/**
 * Returns a matrix as a factor that is contiguous along `along` and read `width` at a time; `extent` is its outer size.
 */
function factor(name: "a" | "b", along: "k" | "outer", width: 1 | 4, dtype: FloatType, extent: string): TiledFactor {
  const at = (i: number, j = 0) => `${name}At${i}_${j}`;
  const batch = `image * u.${name}Batch`;
  if (along === "k") {
    return {
      along,
      setup: (i, outer) => `let ${at(i)} = ${batch} + min(${outer}, ${extent} - 1u) * (u.k / ${width}u);`,
      load: (i, k) =>
        width === 4
          ? load(name, `${at(i)} + min(${k}, u.k - 4u) / 4u`, dtype, 4)
          : gather(name, clamped(k, "u.k").map((index) => `${at(i)} + ${index}`) as Four, dtype),
    };
  }
  const row = (k: string) => `min(${k}, u.k - 1u) * (${extent} / ${width}u)`;
  return {
    along,
    setup: (i, outer) =>
      width === 4
        ? `let ${at(i)} = ${batch} + min(${outer}, ${extent} - 4u) / 4u;`
        : clamped(outer, extent).map((index, j) => `let ${at(i, j)} = ${batch} + ${index};`).join("\n"),
    load: (i, k) =>
      width === 4
        ? load(name, `${row(k)} + ${at(i)}`, dtype, 4)
        : gather(name, [0, 1, 2, 3].map((j) => `${row(k)} + ${at(i, j)}`) as Four, dtype),
  };
}

type Four = [string, string, string, string];

/** Returns four neighbouring indices from `first` on, clamped to the end. */
function clamped(first: string, extent: string): Four {
  const index = (j: number) => `min(${first} + ${j}u, ${extent} - 1u)`;
  return [index(0), index(1), index(2), index(3)];
}
