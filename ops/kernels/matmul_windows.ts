/**
 * Plans of matrix products that read windows of their factors as uniforms (`windows.ts`), for software adapters.
 *
 * If A is stored by rows of C, a window of A has some of its rows, and a window of B whole tiles of columns, or a part
 * of one tile's rows if a tile exceeds a window; A is then read from a storage buffer. If A is stored by k, as in the
 * gradient of a weight, windows hold some k of a panel of columns of each factor, and the sums over windows are added
 * up by `reduce_partials.ts`. Factors that do not lie in memory in this way are packed first (`pack_matrix.ts`).
 *
 * @module
 */
import { type KernelPlan, type KernelSpec, WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import type { MatmulProblem, Matrix } from "./matmul_problem.ts";
import { windowColumns, windowNames, windowProduct, type WindowProductOptions } from "./matmul_window_kernel.ts";
import { packedMatrixBytes, packMatrix } from "./pack_matrix.ts";
import { partialBytes, reducePartials } from "./reduce_partials.ts";
import { bytesOfNumbers, SLICE_ALIGNMENT, sliced } from "./windows.ts";

/** Columns of a panel, and vectors of them. */
const PANEL = 128;
/** Minimum number of multiply-adds per dispatch for which a dispatch costs less than windows save. */
const WORTHWHILE = 1 << 17;

/** Minimum rows of A in a window. */
const FEWEST_ROWS = 16;
/** Maximum size of all partial sums, in bytes. */
const MOST_PARTIAL_BYTES = 1 << 26;

/** A plan with windows. */
export interface WindowedMatmul {
  /** True if windows save more than their dispatches cost. */
  readonly worthwhile: boolean;
  plan(): KernelPlan;
}

/** Returns the plan, or null if the shape is unsuitable. */
export function windowedMatmul(problem: MatmulProblem, traits: DeviceTraits): WindowedMatmul | null {
  const { a, m, n, k, batch, sumBatch } = problem;
  if (batch > 1 || sumBatch || n % 4 !== 0 || (a.order === "rows" ? k : m) % 4 !== 0) return null;
  const division = a.order === "columns" ? panels(problem) : windowOfRows(problem) ?? windowOfDepth(problem);
  if (division === null) return null;
  return {
    worthwhile: m * n * k >= division.dispatches * WORTHWHILE,
    plan: () => planOf(problem, division, traits),
  };
}

/** Buffers of a product, after packing. */
interface Buffers {
  readonly a: FloatBuffer;
  readonly b: FloatBuffer;
  readonly bias: FloatBuffer | null;
  readonly c: FloatBuffer;
}

/** Division of a product into dispatches. */
interface Division {
  readonly dispatches: number;
  /** Parts of each sum. */
  readonly splits: number;
  /** Vectors per tile to pack a factor in; null if it is read as it is. */
  readonly packA: number | null;
  readonly packB: number | null;
  kernels(buffers: Buffers): readonly KernelParts[];
}

/** Options of a kernel that the division sets. */
type KernelParts = Omit<WindowProductOptions, "name" | "alongK" | "traits" | "bias"> & Pick<Buffers, "bias">;

function planOf(problem: MatmulProblem, division: Division, traits: DeviceTraits): KernelPlan {
  const { a, b, m, n, k } = problem;
  const { splits } = division;
  const packs: KernelSpec[] = [];
  const workspace: number[] = [];
  const factor = (matrix: Matrix, columns: number, vectors: number | null): FloatBuffer => {
    if (vectors === null) return { ref: matrix.ref, dtype: matrix.dtype };
    const packed = { workspace: workspace.length };
    const options = {
      source: { ref: matrix.ref, dtype: matrix.dtype },
      transposed: matrix === b && b.order === "columns",
      ...{ rows: k, columns, vectors },
    };
    packs.push(packMatrix({ ...options, packed, traits }));
    // The last window may extend past the end
    workspace.push(packedMatrixBytes(options) + WINDOW_BYTES);
    return { ref: packed, dtype: "f32" };
  };
  const factors = { a: factor(a, m, division.packA), b: factor(b, n, division.packB) };
  const partial = { workspace: workspace.length };
  const shape = { splits, rows: m, groups: 1, columns: n };
  if (splits > 1) workspace.push(partialBytes(shape));
  const letter = ({ order }: Matrix) => order === "rows" ? "n" : "t";
  const kernels = division.kernels({
    ...factors,
    bias: splits > 1 ? null : problem.bias,
    c: splits > 1 ? { ref: partial, dtype: "f32" } : problem.c,
  }).map((parts) =>
    windowProduct({
      ...parts,
      name: `${problem.name}.${letter(a)}${letter(b)}`,
      alongK: a.order === "rows",
      traits,
    })
  );
  const reduce = splits === 1
    ? []
    : [reducePartials({ ...shape, partial, target: problem.c, bias: problem.bias, traits })];
  return { name: kernels[0]!.name, kernels: [...packs, ...kernels, ...reduce], workspace };
}

/** Divides the rows of A and the columns of B. */
function windowOfRows({ a, b, c, m, n, k }: MatmulProblem): Division | null {
  const bBytes = bytesOfNumbers(k * n, b.dtype);
  const whole = b.order === "rows" && bBytes <= WINDOW_BYTES && bBytes % 16 === 0;
  const wide = k * windowColumns(2) * 4;
  // A wide tile may take two windows
  const parts = !whole && n > windowColumns(1) && wide > WINDOW_BYTES && wide <= 2 * WINDOW_BYTES && k % 8 === 0
    ? 2
    : 1;
  const vectors = n > windowColumns(1) && (whole || wide <= parts * WINDOW_BYTES) ? 2 : 1;
  const width = windowColumns(vectors);
  const tiles = Math.ceil(n / width);
  const tileBytes = k * width * 4;
  const perWindow = whole ? tiles : Math.floor(parts * WINDOW_BYTES / tileBytes);
  const [aBytes, cBytes] = [bytesOfNumbers(k, a.dtype), bytesOfNumbers(n, c.dtype)];
  const rows = sliced(m, [aBytes], [cBytes]);
  if (perWindow === 0 || rows === null || (rows.dispatches > 1 && rows.items < FEWEST_ROWS)) return null;
  const windows = Math.ceil(tiles / perWindow);
  return {
    dispatches: rows.dispatches * windows,
    splits: 1,
    packA: null,
    packB: whole ? null : width / 4,
    kernels: ({ a, b, bias, c }) =>
      Array.from({ length: windows }, (_, w) => {
        const firstColumn = w * perWindow * width;
        return {
          a: { ...a, window: rows.items * aBytes },
          b: { ...b, window: whole ? bBytes : WINDOW_BYTES },
          bias,
          c: { ...c, window: rows.items * cBytes },
          ...{ vectors, parts },
          rows: rows.items,
          columns: Math.min(perWindow * width, n - firstColumn) / 4,
          ...{ k, firstK: 0 },
          aStep: k / 4,
          bStep: (whole ? n : width) / 4,
          bTile: width / 4 * (whole ? 1 : k),
          cRow: n / 4,
          firstVector: firstColumn / 4,
          slices: Array.from({ length: rows.dispatches }, (_, i) => ({
            a: i * rows.items * aBytes,
            ...Object.fromEntries(
              windowNames(parts).map((name, part) => [
                name,
                w * perWindow * tileBytes + part * tileBytes / parts,
              ]),
            ),
            c: i * rows.items * cBytes,
          })),
        };
      }),
  };
}

/** Divides the columns of B, and the sums. */
function windowOfDepth({ m, n, k }: MatmulProblem): Division | null {
  const vectors = n > windowColumns(1) ? 2 : 1;
  const width = windowColumns(vectors);
  const depth = WINDOW_BYTES / (width * 4);
  const [tiles, splits] = [Math.ceil(n / width), Math.ceil(k / depth)];
  const cBytes = m * n * 4;
  if (splits === 1 || cBytes % SLICE_ALIGNMENT !== 0 || splits * cBytes > MOST_PARTIAL_BYTES) return null;
  return {
    dispatches: tiles * splits,
    splits,
    packA: null,
    packB: width / 4,
    kernels: ({ a, b, bias, c }) =>
      Array.from({ length: splits * tiles }, (_, i) => {
        const [split, tile] = [Math.floor(i / tiles), i % tiles];
        return {
          a,
          b: { ...b, window: WINDOW_BYTES },
          bias,
          c: { ...c, window: cBytes },
          ...{ vectors, parts: 1 },
          rows: m,
          columns: Math.min(width, n - tile * width) / 4,
          k: Math.min(depth, k - split * depth),
          firstK: split * depth,
          aStep: k / 4,
          bStep: width / 4,
          bTile: 0, // a single tile
          cRow: n / 4,
          firstVector: tile * width / 4,
          slices: [{ b: (tile * k + split * depth) * width * 4, c: split * cBytes }],
        };
      }),
  };
}

/** Divides the sums, and each factor into panels of columns. */
function panels({ a, b, c, m, n, k }: MatmulProblem): Division | null {
  if (b.order === "columns") return null;
  const packA = m > PANEL ? PANEL / 4 : null;
  const packB = n > PANEL ? PANEL / 4 : null;
  const [aPanel, bPanel] = [Math.min(m, PANEL), Math.min(n, PANEL)];
  const aBytes = bytesOfNumbers(aPanel, packA === null ? a.dtype : "f32");
  const bBytes = bytesOfNumbers(bPanel, packB === null ? b.dtype : "f32");
  const depths = sliced(k, [aBytes, bBytes], []);
  if (depths === null) return null;
  const splits = depths.dispatches;
  const cBytes = bytesOfNumbers(m * n, splits === 1 ? c.dtype : "f32");
  if (splits > 1 && (cBytes % SLICE_ALIGNMENT !== 0 || splits * cBytes > MOST_PARTIAL_BYTES)) return null;
  const [aPanels, bPanels] = [Math.ceil(m / PANEL), Math.ceil(n / PANEL)];
  return {
    dispatches: splits * aPanels * bPanels,
    splits,
    packA,
    packB,
    kernels: ({ a, b, bias, c }) =>
      Array.from({ length: aPanels * bPanels }, (_, i) => {
        const [aFirst, bFirst] = [Math.floor(i / bPanels), i % bPanels];
        const rows = Math.min(PANEL, m - aFirst * PANEL);
        const columns = Math.min(PANEL, n - bFirst * PANEL);
        return {
          a: { ...a, window: depths.items * aBytes },
          b: { ...b, window: depths.items * bBytes },
          bias,
          c: { ...c, window: cBytes },
          vectors: bPanel > windowColumns(1) ? 2 : 1,
          parts: 1,
          rows,
          columns: columns / 4,
          ...{ k: depths.items, firstK: 0 },
          aStep: aPanel / 4,
          bStep: bPanel / 4,
          bTile: windowColumns(bPanel > windowColumns(1) ? 2 : 1) / 4,
          cRow: n / 4,
          firstVector: aFirst * PANEL * n / 4 + bFirst * PANEL / 4,
          slices: Array.from({ length: splits }, (_, s) => ({
            a: (aFirst * k + s * depths.items) * aBytes,
            b: (bFirst * k + s * depths.items) * bBytes,
            c: s * cBytes,
          })),
        };
      }),
  };
}
