/**
 * Reorders a matrix `[rows][columns]`, or its transpose, to f32 `[tile][row][column of the tile]`, so that a window of a
 * uniform buffer (`windows.ts`) holds whole tiles of columns, or some rows of one. Columns past the end repeat the last.
 *
 * @module
 */
import {
  type BufferRef,
  defineKernel,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { declare } from "./tensors.ts";
import { gather } from "./access.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { SIMD_LANES } from "./simd.ts";
import { bytesOfNumbers, sliced, type Slicing, windowOf, windowReader } from "./windows.ts";

const LANES = 64;
/** Vectors that a lane packs if the source is read by windows. */
const VECTORS_PER_LANE = 16;

export interface PackMatrixOptions {
  readonly source: FloatBuffer;
  /** True if the source is stored as `[columns][rows]`. */
  readonly transposed: boolean;
  readonly rows: number;
  readonly columns: number;
  /** Vectors of four columns per tile. */
  readonly vectors: number;
  readonly packed: BufferRef;
  readonly traits: DeviceTraits;
}

/** Returns the bytes of the packed matrix. */
export function packedMatrixBytes({ rows, columns, vectors }: Omit<PackMatrixOptions, "packed" | "traits">): number {
  return Math.ceil(columns / (4 * vectors)) * rows * vectors * 16;
}

/** Returns the kernel, which reads windows of the source if its shape allows. */
export function packMatrix(options: PackMatrixOptions): KernelSpec {
  const { source, transposed, rows, columns, vectors, packed, traits } = options;
  const slicing = slicesOf(options);
  const own = slicing ?? { rows, columns, dispatches: 1 };
  const count = Math.ceil(own.columns / (4 * vectors)) * own.rows * vectors;
  const lanes = slicing === null ? LANES : SIMD_LANES;
  // Bytes from the window of one dispatch to that of the next
  const read = bytesOfNumbers(own.rows * own.columns, source.dtype);
  const written = transposed ? count * 16 : own.rows * vectors * 16;
  const whole = !transposed && columns % 4 === 0;
  const tiles = Math.ceil(own.columns / (4 * vectors));
  // A workgroup takes as long to start as it takes to pack a few vectors
  const rowsPerWorkgroup = Math.ceil(VECTORS_PER_LANE * lanes / (tiles * vectors));
  const each = (value: string) =>
    `let column = (tile * u.vectors + vector) * 4u;
packed[(tile * u.allRows + row) * u.vectors + vector] = ${value};`;
  const at = (j: number) => `row * u.rowStep + min(column + ${j}u, u.columns - 1u) * u.columnStep`;
  return defineKernel({
    name: `pack_matrix.${source.dtype}${slicing === null ? "" : `.windows.x${whole ? 4 : 1}`}`,
    buffers: {
      source: slicing === null ? { ...declare(source, 1), access: "read" } : windowOf(source, read),
      packed: {
        ref: packed,
        type: "vec4<f32>",
        window: packedMatrixBytes(options) - (own.dispatches - 1) * written,
      },
    },
    uniforms: {
      count,
      vectors,
      rows: own.rows,
      allRows: rows,
      columns: own.columns,
      rowStep: transposed ? 1 : columns,
      columnStep: transposed ? rows : 1,
      ...slicing === null ? {} : { tiles, rowsPerWorkgroup },
    },
    slices: Array.from({ length: own.dispatches }, (_, i) => ({
      ...(slicing === null ? {} : { source: i * read }),
      packed: i * written,
    })),
    workgroupSize: [lanes],
    grid: slicing === null
      ? linearGrid(count, lanes, traits.maxWorkgroupsPerDimension)
      : [Math.ceil(own.rows / rowsPerWorkgroup)],
    prelude: slicing === null ? "" : windowReader("source", source.dtype, whole ? 4 : 1),
    body: slicing === null
      ? `
let i = ${LINEAR_INDEX(lanes)};
if (i >= u.count) { return; }
let vector = i % u.vectors;
let row = i / u.vectors % u.rows;
let tile = i / (u.vectors * u.rows);
${each(gather("source", [at(0), at(1), at(2), at(3)], source.dtype))}`
      : `
let end = min((wid.x + 1u) * u.rowsPerWorkgroup, u.rows);
for (var row = wid.x * u.rowsPerWorkgroup; row < end; row++) {
  for (var tile = 0u; tile < u.tiles; tile++) {
    for (var vector = lix; vector < u.vectors; vector += ${lanes}u) {
${
        each(
          whole
            ? "sourceAt((row * u.columns + min(column, u.columns - 4u)) / 4u)"
            : `vec4<f32>(${[0, 1, 2, 3].map((j) => `sourceAt(${at(j)})`).join(", ")})`,
        )
      }
    }
  }
}`,
  });
}

/**
 * Returns the rows and columns of a dispatch, or null if its windows would not fit. A window holds some rows of the
 * source: some rows of each tile, or, if the source is transposed, the columns of whole tiles.
 */
function slicesOf(
  { source, transposed, rows, columns, vectors }: PackMatrixOptions,
): { rows: number; columns: number; dispatches: number } | null {
  const width = 4 * vectors;
  if (!transposed) {
    const slicing = sliced(rows, [bytesOfNumbers(columns, source.dtype)], [width * 4]);
    return slicing && { rows: slicing.items, columns, dispatches: slicing.dispatches };
  }
  if (columns % width !== 0) return null;
  const tiles: Slicing | null = sliced(
    columns / width,
    [bytesOfNumbers(width * rows, source.dtype)],
    [rows * width * 4],
  );
  return tiles && { rows, columns: tiles.items * width, dispatches: tiles.dispatches };
}
