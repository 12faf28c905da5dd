/**
 * Matrix product with subgroups. The lanes of a subgroup span the columns, `vectors` times four each, and share `rows`
 * rows of A, of which every lane loads a part (`simd.ts`). Matrices stored along k are read four k at a time.
 *
 * @module
 */
import { defineKernel, type KernelSpec, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, gather, load, store } from "./access.ts";
import type { MatmulProblem } from "./matmul.ts";
import { fromLane, sharedLoads, shareOfLane, simdName } from "./simd.ts";
import { forRows, sumRows } from "./store_tile.ts";
import { unroll, unroll2 } from "./unroll.ts";
import { declare } from "./tensors.ts";

export interface SimdTile {
  /** Lanes per subgroup and invocations per workgroup. */
  readonly lanes: number;
  /** Rows per workgroup: a power of two, at least 4. */
  readonly rows: number;
  /** Vectors of four columns per lane. */
  readonly vectors: number;
}

/** Returns the number of columns per workgroup. */
export function simdColumns(tile: SimdTile): number {
  return tile.lanes * 4 * tile.vectors;
}

/** Returns true if all loads of the product are vectors. */
export function simdFits({ a, b, m, n, k }: MatmulProblem): boolean {
  return (a.order === "rows" ? k : m) % 4 === 0 && (b.order === "rows" ? n : k) % 4 === 0;
}

/** Returns the kernel. It writes to `c`: one matrix per split, whose rows are padded to a multiple of four columns. */
export function simdMatmul(
  problem: MatmulProblem,
  tile: SimdTile,
  splits: number,
  c: FloatBuffer,
  traits: DeviceTraits,
): KernelSpec {
  const { a, b, m, n, k, batch } = problem;
  const bias = splits === 1 ? problem.bias : null;
  const tileRows = Math.ceil(m / tile.rows);
  const tileColumns = Math.ceil(n / simdColumns(tile));
  const [gx, gy] = linearGrid(tileRows * tileColumns, 1, traits.maxWorkgroupsPerDimension);
  const letter = (order: string) => order === "rows" ? "n" : "t";
  return defineKernel({
    name:
      `${problem.name}.${letter(a.order)}${letter(b.order)}.${simdName("simd", tile.lanes)}.${tile.rows}x${
        simdColumns(tile)
      }` +
      `.${a.dtype}_${b.dtype}_${c.dtype}`,
    buffers: {
      a: { ref: a.ref, type: elementType(a.dtype, 4), access: "read" },
      b: { ref: b.ref, type: elementType(b.dtype, 4), access: "read" },
      ...(bias === null ? {} : { bias: { ref: bias.ref, type: elementType(bias.dtype, 1), access: "read" } }),
      c: declare(c, 4),
    },
    uniforms: {
      m,
      n,
      k,
      kPerSplit: Math.ceil(k / splits / 4) * 4,
      splits,
      tileColumns,
      tiles: tileRows * tileColumns,
      aBatch: a.batched ? (m * k) / 4 : 0,
      bBatch: b.batched ? (k * n) / 4 : 0,
      cRow: Math.ceil(n / 4),
    },
    workgroupSize: [tile.lanes],
    grid: [gx, gy, batch * splits],
    body: () => body(problem, tile, bias, c, traits),
  });
}

function body(
  { a, b }: MatmulProblem,
  tile: SimdTile,
  bias: FloatBuffer | null,
  c: FloatBuffer,
  traits: DeviceTraits,
) {
  const { lanes: L, rows: R, vectors: V } = tile;
  const byRows = a.order === "rows";
  // Vectors along k hold four k
  const step = byRows || b.order === "columns" ? 4 : 1;
  // Vectors of A, along k or along the rows
  const aVectors = byRows ? R : R / 4;
  const aLoads = sharedLoads(aVectors, L);
  const rowOf = (i: number) => `${byRows ? "row" : "row / 4u"} + ${shareOfLane(i, aVectors, L)}`;
  const elementA = (r: number, j: number) =>
    byRows
      ? `${fromLane(`a${Math.floor(r / L)}[${j}]`, r % L)}`
      : `${fromLane(`a${Math.floor(r / (4 * L))}_${step === 1 ? 0 : j}[${r & 3}]`, (r >> 2) % L)}`;
  return `
let i = wid.y * grid.x + wid.x;
if (i >= u.tiles) { return; }
let row = (i / u.tileColumns) * ${R}u;
let vector = (i % u.tileColumns) * ${L * V}u + lix;
let image = wid.z / u.splits;
let begin = (wid.z % u.splits) * u.kPerSplit;
let end = min(begin + u.kPerSplit, u.k);
${
    unroll(aLoads, (i) =>
      byRows
        ? `let atA${i} = image * u.aBatch + min(${rowOf(i)}, u.m - 1u) * (u.k / 4u);`
        : `let atA${i} = image * u.aBatch + min(${rowOf(i)}, u.m / 4u - 1u);`)
  }
${
    unroll(V, (v) =>
      b.order === "rows"
        ? `let atB${v} = image * u.bBatch + min(vector + ${L * v}u, u.n / 4u - 1u);`
        : unroll(4, (j) =>
          `let atB${v}_${j} = image * u.bBatch + min((vector + ${L * v}u) * 4u + ${j}u, u.n - 1u) * (u.k / 4u);`))
  }
${unroll(V, (v) => `let bias${v} = ${bias === null ? "vec4<f32>()" : biasVector(bias, L * v)};`)}
${unroll2(R, V, (r, v) => `var sum${r}_${v} = bias${v};`)}
for (var k = begin; k < end; k += ${step}u) {
${
    byRows ? unroll(aLoads, (i) => `let a${i} = ${load("a", `atA${i} + k / 4u`, a.dtype, 4)};`) : unroll2(
      aLoads,
      step,
      (i, j) => `let a${i}_${j} = ${load("a", `(k + ${j}u) * (u.m / 4u) + atA${i}`, a.dtype, 4)};`,
    )
  }
${
    b.order === "rows"
      ? ""
      : unroll2(V, 4, (v, j) => `let q${v}_${j} = ${load("b", `atB${v}_${j} + k / 4u`, b.dtype, 4)};`)
  }
${
    unroll(step, (j) =>
      `{
${
        unroll(V, (v) =>
          b.order === "rows"
            ? `let b${v} = ${load("b", `(k + ${j}u) * (u.n / 4u) + atB${v}`, b.dtype, 4)};`
            : `let b${v} = vec4<f32>(${[0, 1, 2, 3].map((c) => `q${v}_${c}[${j}]`).join(", ")});`)
      }
${
        unroll(R, (r) =>
          `let r${r} = ${elementA(r, j)};
${
            unroll(V, (v) => `sum${r}_${v} += r${r} * b${v};`)
          }`)
      }
}`)
  }
}
${unroll(V, (v) => `let to${v} = vector + ${L * v}u;`)}
${
    forRows(traits, sumRows(R, V), (r, sums) =>
      `if (row + ${r} < u.m) {
  let to = (wid.z * u.m + row + ${r}) * u.cRow;
${unroll(V, (v) => `  if (to${v} < u.cRow) { ${store("c", `to + to${v}`, sums[v]!, c, 4)} }`)}
}`)
  }`;
}

function biasVector(bias: FloatBuffer, offset: number): string {
  const at = (j: number) => `min((vector + ${offset}u) * 4u + ${j}u, u.n - 1u)`;
  return gather("bias", [at(0), at(1), at(2), at(3)], bias.dtype);
}
