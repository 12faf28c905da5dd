/**
 * Batched matrix product C[m][n] = sum over k of A(m, k) B(k, n), with an optional bias per column. Every invocation
 * keeps a tile of rows x columns in registers and takes one k per iteration. The kernel uses neither workgroup memory
 * nor barriers, which are slow on software adapters. Shapes come from uniforms.
 *
 * @module
 */

import { defineKernel, type KernelSpec, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, gather, load, store, vectorWidth } from "./access.ts";
import { forRows, sumRows } from "./store_tile.ts";
import { unroll, unroll2 } from "./unroll.ts";
import { declare } from "./tensors.ts";

interface Matrix extends FloatBuffer {
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

export interface MatmulTile {
  /** Invocations per workgroup. */
  readonly lanes: number;
  readonly rows: number;
  /** Vectors of four columns. */
  readonly vectors: number;
}

/** Returns the kernel. It writes to `c`: one matrix per split, whose rows are padded to a multiple of four columns. */
export function registerMatmul(
  problem: MatmulProblem,
  tile: MatmulTile,
  splits: number,
  c: FloatBuffer,
  traits: DeviceTraits,
): KernelSpec {
  const { a, b, m, n, k, batch } = problem;
  const bias = splits === 1 ? problem.bias : null;
  const variant: Variant = {
    tile,
    a,
    b,
    bias,
    aWidth: a.order === "columns" ? vectorWidth(m) : 1,
    bWidth: b.order === "rows" ? vectorWidth(n) : 1,
    c,
  };
  const tileRows = Math.ceil(m / tile.rows);
  const tileColumns = Math.ceil(n / (4 * tile.vectors));
  const [gx, gy] = linearGrid(tileRows * tileColumns, tile.lanes, traits.maxWorkgroupsPerDimension);
  return defineKernel({
    name: nameOf(problem.name, variant),
    buffers: {
      a: { ref: a.ref, type: elementType(a.dtype, variant.aWidth), access: "read" },
      b: { ref: b.ref, type: elementType(b.dtype, variant.bWidth), access: "read" },
      ...(bias === null ? {} : { bias: { ref: bias.ref, type: elementType(bias.dtype, 1), access: "read" } }),
      c: declare(c, 4),
    },
    uniforms: {
      m,
      n,
      k,
      kPerSplit: Math.ceil(k / splits),
      splits,
      tileColumns,
      tiles: tileRows * tileColumns,
      aBatch: a.batched ? (m * k) / variant.aWidth : 0,
      bBatch: b.batched ? (k * n) / variant.bWidth : 0,
      cRow: Math.ceil(n / 4),
    },
    workgroupSize: [tile.lanes],
    grid: [gx, gy, batch * splits],
    body: () => body(variant, traits),
  });
}

interface Variant {
  readonly tile: MatmulTile;
  readonly a: Matrix;
  readonly b: Matrix;
  readonly bias: FloatBuffer | null;
  readonly aWidth: 1 | 4;
  readonly bWidth: 1 | 4;
  readonly c: FloatBuffer;
}

function nameOf(name: string, { tile, a, b, aWidth, bWidth, c }: Variant): string {
  const letter = (matrix: Matrix) => matrix.order === "rows" ? "n" : "t";
  return `${name}.${letter(a)}${letter(b)}.${tile.rows}x${tile.vectors * 4}.${a.dtype}_${b.dtype}_${c.dtype}` +
    `.v${aWidth}${bWidth}`;
}

function body(variant: Variant, traits: DeviceTraits): string {
  const { tile, bias, c } = variant;
  const { lanes, rows: R, vectors: V } = tile;
  return `
let i = (wid.y * grid.x + wid.x) * ${lanes}u + lix;
if (i >= u.tiles) { return; }
let row = (i / u.tileColumns) * ${R}u;
let column = (i % u.tileColumns) * ${4 * V}u;
let image = wid.z / u.splits;
let begin = (wid.z % u.splits) * u.kPerSplit;
let end = min(begin + u.kPerSplit, u.k);
let lastRow = u.m - 1u;
let lastColumn = u.n - 1u;
${offsetsA(variant)}
${offsetsB(variant)}
${unroll(V, (v) => `let bias${v} = ${bias === null ? "vec4<f32>()" : biasVector(bias, v)};`)}
${unroll2(R, V, (r, v) => `var sum${r}_${v} = bias${v};`)}
for (var k = begin; k < end; k++) {
${loadsA(variant)}
${loadsB(variant)}
${unroll2(R, V, (r, v) => `sum${r}_${v} += ${elementA(variant, r)} * b${v};`)}
}
let to = (wid.z * u.m + row) * u.cRow + column / 4u;
let vectors = u.cRow - column / 4u;
${
    forRows(traits, sumRows(R, V), (r, sums) =>
      `if (row + ${r} < u.m) {
${unroll(V, (v) => `  if (${v}u < vectors) { ${store("c", `to + ${r} * u.cRow + ${v}u`, sums[v]!, c, 4)} }`)}
}`)
  }`;
}

function biasVector(bias: FloatBuffer, v: number): string {
  const at = (j: number) => `min(column + ${4 * v + j}u, lastColumn)`;
  return gather("bias", [at(0), at(1), at(2), at(3)], bias.dtype);
}

/** Returns WGSL for the offsets of the tile's rows in A; past the end, the last row repeats. */
function offsetsA({ tile, a, aWidth }: Variant): string {
  if (a.order === "rows") {
    return unroll(tile.rows, (r) => `let atA${r} = image * u.aBatch + min(row + ${r}u, lastRow) * u.k;`);
  }
  return aWidth === 4
    ? unroll(tile.rows / 4, (q) => `let atA${q} = image * u.aBatch + min(row / 4u + ${q}u, u.m / 4u - 1u);`)
    : unroll(tile.rows, (r) => `let atA${r} = image * u.aBatch + min(row + ${r}u, lastRow);`);
}

function loadsA({ tile, a, aWidth }: Variant): string {
  if (a.order === "rows") return unroll(tile.rows, (r) => `let a${r} = ${load("a", `atA${r} + k`, a.dtype, 1)};`);
  return aWidth === 4
    ? unroll(tile.rows / 4, (q) => `let a${q} = ${load("a", `k * (u.m / 4u) + atA${q}`, a.dtype, 4)};`)
    : unroll(tile.rows, (r) => `let a${r} = ${load("a", `k * u.m + atA${r}`, a.dtype, 1)};`);
}

function elementA({ aWidth }: Variant, r: number): string {
  return aWidth === 4 ? `a${r >> 2}[${r & 3}]` : `a${r}`;
}

/** Returns WGSL for the offsets of the tile's columns in B; past the end, the last column repeats. */
function offsetsB({ tile, b, bWidth }: Variant): string {
  if (bWidth === 4) {
    return unroll(tile.vectors, (v) => `let atB${v} = image * u.bBatch + min(column / 4u + ${v}u, u.n / 4u - 1u);`);
  }
  const step = b.order === "rows" ? "" : " * u.k";
  return unroll(4 * tile.vectors, (c) => `let atB${c} = image * u.bBatch + min(column + ${c}u, lastColumn)${step};`);
}

function loadsB({ tile, b, bWidth }: Variant): string {
  if (bWidth === 4) {
    return unroll(tile.vectors, (v) => `let b${v} = ${load("b", `k * (u.n / 4u) + atB${v}`, b.dtype, 4)};`);
  }
  const k = b.order === "rows" ? "k * u.n" : "k";
  return unroll(tile.vectors, (v) => {
    const at = (j: number) => `${k} + atB${4 * v + j}`;
    return `let b${v} = ${gather("b", [at(0), at(1), at(2), at(3)], b.dtype)};`;
  });
}
