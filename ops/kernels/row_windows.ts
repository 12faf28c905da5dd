/**
 * Slices of the rows of a matrix whose dispatches read them as uniforms (`windows.ts`), for kernels of `row_simd.ts`.
 *
 * @module
 */
import { type BufferDeclaration, WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import type { RowMapOptions } from "./row_code.ts";
import { bytesOfNumbers, SLICE_ALIGNMENT, sliced } from "./windows.ts";

/** Minimum number of elements per dispatch for which a dispatch costs less than windows save. */
const FEWEST_NUMBERS = 8192;
/** Maximum numbers of moving uniform and storage bindings: WebGPU's default limits. */
const MOST_UNIFORMS = 8;
const MOST_STORAGE = 4;
/** Numbers from one aligned offset to the next, and maximum number of kernels that differ in where theirs begin. */
const NUMBERS_ALIGNMENT = SLICE_ALIGNMENT / 4;
const MOST_PHASES = 4;

/** Windows of a kernel's tensors. */
export interface RowWindows {
  /** Rows per dispatch. */
  readonly rows: number;
  readonly phases: readonly RowPhase[];
}

/** Dispatches that share a kernel: windows of a number per row begin at aligned offsets, before the rows of some slices. */
export interface RowPhase {
  /** Rows from the start of these windows to the first of the dispatch. */
  readonly firstNumber: number;
  /** Offsets of the windows of each dispatch, by the names of the buffers. */
  readonly slices: readonly Readonly<Record<string, number>>[];
  /** Adds its window to the declaration of a buffer. */
  declare(name: string, declaration: BufferDeclaration): BufferDeclaration;
}

/**
 * Returns the windows, or null if the rows fit one window or do not divide into windows. Buffers have the name of their
 * tensor and `_`.
 *
 * @param isVector true for tensors that are read as vectors of 16 bytes
 */
export function rowWindows(
  { n, width, inputs, outputs, numbers = {} }: RowMapOptions,
  isVector: (buffer: FloatBuffer) => boolean,
): RowWindows | null {
  const ofKind = (wanted: string) => Object.entries(inputs).filter(([, { kind }]) => kind === wanted);
  const rowBytes = ({ dtype }: FloatBuffer) => bytesOfNumbers(width, dtype);
  const bytesOf = (entries: readonly (readonly [string, FloatBuffer])[]) =>
    new Map(entries.map(([name, buffer]) => [`${name}_`, rowBytes(buffer)]));
  const uniforms = bytesOf(ofKind("rows"));
  const written = bytesOf(Object.entries(outputs));
  const singles = [...ofKind("number"), ...Object.entries(numbers)].map(([name]) => `${name}_`);
  const shared = bytesOf(ofKind("row").filter(([, buffer]) => isVector(buffer) && rowBytes(buffer) <= WINDOW_BYTES));
  const readable = ofKind("rows").every(([, buffer]) => isVector(buffer)) &&
    ofKind("number").every(([, { dtype }]) => dtype === "f32");
  if (!readable || uniforms.size > MOST_UNIFORMS || written.size + singles.length > MOST_STORAGE) return null;
  const slicing = sliced(n, [...uniforms.values()], [...written.values()]);
  if (slicing === null || slicing.dispatches === 1 || slicing.items * width < FEWEST_NUMBERS) return null;
  const { items: rows, dispatches } = slicing;
  const placeOf = (slice: number) => slice * rows % NUMBERS_ALIGNMENT;
  const places = singles.length === 0 ? [0] : [...new Set(Array.from({ length: dispatches }, (_, i) => placeOf(i)))];
  if (places.length > MOST_PHASES) return null;
  return {
    rows,
    phases: places.map((firstNumber) => ({
      firstNumber,
      slices: Array.from({ length: dispatches }, (_, i) => i)
        .filter((i) => singles.length === 0 || placeOf(i) === firstNumber)
        .map((i) => ({
          ...Object.fromEntries([...uniforms, ...written].map(([name, bytes]) => [name, i * rows * bytes])),
          ...Object.fromEntries(singles.map((name) => [name, 4 * (i * rows - firstNumber)])),
        })),
      declare: (name, declaration) => {
        const read = uniforms.get(name);
        const bytes = shared.get(name) ?? (read === undefined ? undefined : rows * read);
        if (bytes !== undefined) return { ...declaration, access: "uniform", window: bytes };
        if (singles.includes(name)) return { ...declaration, window: 4 * (firstNumber + rows) };
        const row = written.get(name);
        return row === undefined ? declaration : { ...declaration, window: rows * row };
      },
    })),
  };
}
