/**
 * Matrix product with subgroups that reads windows of its factors as uniforms (`windows.ts`), like `matmul_simd.ts`
 * otherwise. A dispatch multiplies a window of A by a window of B.
 *
 * @module
 */
import { type BufferDeclaration, defineKernel, type KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { load, store } from "./access.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { fromLane, sharedLoads, shareOfLane, SIMD_LANES } from "./simd.ts";
import { forRows, sumRows } from "./store_tile.ts";
import { declare } from "./tensors.ts";
import { unroll, unroll2 } from "./unroll.ts";
import { windowOf, windowReader } from "./windows.ts";

/** Rows of C per workgroup, which is one subgroup. */
const ROWS = 16;

/** A factor, of which a dispatch binds a window. */
export interface WindowFactor extends FloatBuffer {
  /** Bytes of the window. */
  readonly window: number;
}

export interface WindowProductOptions {
  /** Name with the orders of the factors. */
  readonly name: string;
  /** True if vectors of A hold four k, false if they hold four rows. */
  readonly alongK: boolean;
  /** A without a window is read from a storage buffer. */
  readonly a: FloatBuffer | WindowFactor;
  /** Each of its windows holds the same number of terms. */
  readonly b: WindowFactor;
  /** Windows of B. */
  readonly parts: 1 | 2;
  /** `[n]` */
  readonly bias: FloatBuffer | null;
  /** Bytes of the window of C. */
  readonly c: WindowFactor;
  /** Vectors of four columns per lane. */
  readonly vectors: 1 | 2;
  /** Rows and vectors of columns of a dispatch. */
  readonly rows: number;
  readonly columns: number;
  /** Terms of a dispatch's sums, and the first of A's. */
  readonly k: number;
  readonly firstK: number;
  /** Vectors from one row of A to the next, or from one k to the next. */
  readonly aStep: number;
  /** Vectors from one k of B to the next, and from one tile of columns to the next. */
  readonly bStep: number;
  readonly bTile: number;
  /** Vectors from one row of C to the next, and the place of the first in the window. */
  readonly cRow: number;
  readonly firstVector: number;
  /** Offsets in bytes of the windows, for each dispatch. */
  readonly slices: readonly Readonly<Record<string, number>>[];
  readonly traits: DeviceTraits;
}

/** Returns the columns of C per workgroup. */
export function windowColumns(vectors: 1 | 2): number {
  return 4 * SIMD_LANES * vectors;
}

/** Returns the kernel. */
export function windowProduct(options: WindowProductOptions): KernelSpec {
  const { a, b, bias, c, vectors, rows, columns, parts, slices } = options;
  const declared = (buffer: FloatBuffer): BufferDeclaration => ({ ...declare(buffer, 4), access: "read" });
  return defineKernel({
    name: `${options.name}.simd.${ROWS}x${windowColumns(vectors)}.${a.dtype}_${b.dtype}_${c.dtype}` +
      `.windows${"window" in a ? "" : "_b"}${parts === 1 ? "" : `.${parts}`}`,
    buffers: {
      a: "window" in a ? windowOf(a, a.window) : declared(a),
      ...Object.fromEntries(windowNames(parts).map((name) => [name, windowOf(b, b.window)])),
      ...(bias === null ? {} : { bias: declared(bias) }),
      c: { ...declare(c, 4), window: c.window },
    },
    uniforms: {
      rows,
      columns,
      k: options.k / parts,
      firstK: options.firstK,
      aStep: options.aStep,
      bStep: options.bStep,
      bTile: options.bTile,
      cRow: options.cRow,
      firstVector: options.firstVector,
    },
    slices,
    workgroupSize: [SIMD_LANES],
    grid: [Math.ceil(rows / ROWS), Math.ceil(4 * columns / windowColumns(vectors))],
    prelude: () =>
      [
        "window" in a ? windowReader("a", a.dtype, 4) : "",
        ...windowNames(parts).map((name) => windowReader(name, b.dtype, 4)),
      ].join("\n"),
    body: () => body(options),
  });
}

/** Returns the names of B's windows. */
export function windowNames(parts: 1 | 2): string[] {
  return parts === 1 ? ["b"] : ["b", "b2"];
}

function body({ alongK, a, bias, c, vectors: V, k, parts, traits }: WindowProductOptions): string {
  const L = SIMD_LANES;
  // Terms per iteration
  const terms = alongK || k % 4 === 0 ? 4 : 1;
  const aVectors = alongK ? ROWS : ROWS / 4;
  const aLoads = sharedLoads(aVectors, L);
  const readA = (at: string) => "window" in a ? `aAt(${at})` : load("a", at, a.dtype, 4);
  const share = (i: number) => shareOfLane(i, aVectors, L);
  const elementA = (r: number, j: number) =>
    alongK
      ? fromLane(`a${Math.floor(r / L)}[${j}]`, r % L)
      : fromLane(`a${Math.floor(r / (4 * L))}_${j}[${r & 3}]`, (r >> 2) % L);
  /** Adds the terms of a window of B. */
  const loop = (name: string, first: string) =>
    `for (var k = 0u; k < u.k; k += ${terms}u) {
${
      unroll(aLoads, (i) =>
        alongK
          ? `let a${i} = ${readA(`atA${i} + (${first} + k) / 4u`)};`
          : unroll(terms, (j) => `let a${i}_${j} = ${readA(`atA${i} + (${first} + k + ${j}u) * u.aStep`)};`))
    }
${unroll2(terms, V, (j, v) => `let b${j}_${v} = ${name}At(atB${v} + (k + ${j}u) * u.bStep);`)}
// All terms of a sum in a row, so that it is read from memory and written back once
${
      unroll(ROWS, (r) =>
        `{
${unroll(terms, (j) => `let r${j} = ${elementA(r, j)};`)}
${unroll2(V, terms, (v, j) => `sum${r}_${v} += r${j} * b${j}_${v};`)}
}`)
    }
}`;
  return `
let row = wid.x * ${ROWS}u;
let vector = wid.y * ${L * V}u + lix;
${
    unroll(aLoads, (i) =>
      alongK
        ? `let atA${i} = min(row + ${share(i)}, u.rows - 1u) * u.aStep;`
        : `let atA${i} = min(row / 4u + ${share(i)}, u.rows / 4u - 1u);`)
  }
${unroll(V, (v) => `let atB${v} = wid.y * u.bTile + lix + ${L * v}u; // columns past the end are not stored`)}
${
    unroll(V, (v) => {
      const at = `u.firstVector + min(vector + ${L * v}u, u.columns - 1u)`;
      return `let bias${v} = ${bias === null ? "vec4<f32>()" : load("bias", at, bias.dtype, 4)};`;
    })
  }
${unroll2(ROWS, V, (r, v) => `var sum${r}_${v} = bias${v};`)}
${windowNames(parts).map((name, part) => loop(name, part === 0 ? "u.firstK" : "u.firstK + u.k")).join("\n")}
let to = row * u.cRow + u.firstVector + vector;
${
    forRows(traits, sumRows(ROWS, V), (r, sums) =>
      `if (row + ${r} < u.rows) {
${
        unroll(V, (v) =>
          `  if (vector + ${L * v}u < u.columns) { ${store("c", `to + ${r} * u.cRow + ${L * v}u`, sums[v]!, c, 4)} }`)
      }
}`, 4)
  }`;
}
