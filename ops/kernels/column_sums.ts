/**
 * Partial sums of the columns of a matrix: `partial[split][column] = sum of source[row][column]` over the rows
 * `split, split + splits, ...`. Columns of the partial sums are padded to a multiple of four; `reduce_partials.ts` adds
 * the partial sums.
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
import { elementType, gather, load, vectorWidth } from "./access.ts";
import type { FloatBuffer } from "./float_buffer.ts";

const LANES = 64;

export interface ColumnSumsOptions {
  /** `[rows][columns]`, or `[rows / plane][columns][plane]` */
  readonly source: FloatBuffer;
  /** f32 `[splits][columns]` */
  readonly partial: BufferRef;
  readonly rows: number;
  readonly columns: number;
  readonly splits: number;
  /** Contiguous rows in a plane; null if columns are contiguous. */
  readonly plane: number | null;
  readonly traits: DeviceTraits;
}

/** Returns a number of splits that gives a few thousand invocations with at least 16 rows each. */
export function columnSplits(rows: number, columns: number): number {
  return Math.max(1, Math.min(Math.ceil(rows / 16), Math.ceil(4096 / Math.ceil(columns / 4)), 256));
}

export function columnSums({ source, partial, rows, columns, splits, plane, traits }: ColumnSumsOptions): KernelSpec {
  const width = plane === null ? vectorWidth(columns) : 1;
  const vectors = Math.ceil(columns / 4);
  const count = splits * vectors;
  const at = (j: number) =>
    plane === null ? `row * u.columns + c${j}` : `(row / u.plane * u.columns + c${j}) * u.plane + row % u.plane`;
  return defineKernel({
    name: `column_sums.${source.dtype}${plane !== null ? ".planes" : width === 4 ? "" : ".odd"}`,
    buffers: {
      source: { ref: source.ref, type: elementType(source.dtype, width), access: "read" },
      partial: { ref: partial, type: "vec4<f32>" },
    },
    uniforms: { count, rows, columns, vectors, splits, ...(plane === null ? {} : { plane }) },
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    body: `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
let vector = i % u.vectors;
let last = u.columns - 1u;
${[0, 1, 2, 3].map((j) => `let c${j} = min(vector * 4u + ${j}u, last);`).join("\n")}
var sum = vec4<f32>();
for (var row = i / u.vectors; row < u.rows; row += u.splits) {
  sum += ${
      width === 4
        ? load("source", "row * u.vectors + vector", source.dtype, 4)
        : gather("source", [at(0), at(1), at(2), at(3)], source.dtype)
    };
}
partial[i] = sum;`,
  });
}
