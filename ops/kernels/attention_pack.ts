/**
 * Packs the heads of a tensor for kernels that read windows of it as uniforms (`windows.ts`): f32
 * `[sample][head][row][column]`, in which each head starts at a multiple of 256 bytes.
 *
 * @module
 */
import { roundUp } from "../../runtime/core/round_up.ts";
import { type BufferRef, defineKernel, type KernelSpec } from "../../runtime/device/kernel.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { load } from "./access.ts";
import { SIMD_LANES } from "./simd.ts";
import { declare } from "./tensors.ts";
import { bytesOfNumbers, SLICE_ALIGNMENT, sliced, windowOf, windowReader } from "./windows.ts";

/** Heads of a tensor, all of the same size. */
export interface PackedHeads {
  readonly source: FloatBuffer;
  /** True if the source is `[n, heads, rows, columns]`, false if it is `[n, rows, heads, columns]`. */
  readonly separate: boolean;
  readonly n: number;
  /** Heads of a sample. */
  readonly heads: number;
  readonly rows: number;
  /** Vectors of four columns. */
  readonly vectors: number;
}

/** Returns the vectors from one packed head to the next. */
export function headStride({ rows, vectors }: Pick<PackedHeads, "rows" | "vectors">): number {
  return roundUp(16 * rows * vectors, SLICE_ALIGNMENT) / 16;
}

/** Returns the bytes of the packed heads. */
export function packedHeadsBytes(packed: PackedHeads): number {
  return 16 * packed.n * packed.heads * headStride(packed);
}

/** Returns the kernel, which reads windows of the source if its shape allows. */
export function packHeads(options: PackedHeads, packed: BufferRef): KernelSpec {
  const { source, separate, n, heads, rows, vectors } = options;
  const stride = headStride(options);
  // Consecutive vectors of the source: a head, or a row of all heads
  const run = separate ? rows * vectors : heads * vectors;
  const runs = separate ? n * heads : rows;
  const read = bytesOfNumbers(4 * run, source.dtype);
  const written = 16 * (separate ? stride : vectors);
  const divided = sliced(runs, [read], [written]);
  // The windows of the next sample start where those of the last end
  const slicing = separate || n === 1 || runs * read % SLICE_ALIGNMENT === 0 ? divided : null;
  const own = slicing?.items ?? runs;
  const samples = separate ? 1 : n;
  const sample = 16 * heads * stride;
  return defineKernel({
    name: `attention.pack.${source.dtype}.x${4 * vectors}${separate ? ".heads" : ""}${
      slicing === null ? "" : ".windows"
    }`,
    buffers: {
      source: slicing === null ? { ...declare(source, 4), access: "read" } : windowOf(source, own * read),
      packed: {
        ref: packed,
        type: "vec4<f32>",
        ...slicing === null ? {} : { window: separate ? own * written : sample - (runs - own) * written },
      },
    },
    uniforms: { run, runs: own, stride, sample: sample / 16 },
    ...slicing === null ? {} : {
      slices: Array.from({ length: samples * slicing.dispatches }, (_, i) => ({
        source: i * own * read,
        packed: Math.floor(i / slicing.dispatches) * sample + i % slicing.dispatches * own * written,
      })),
    },
    workgroupSize: [SIMD_LANES],
    grid: [1, own, slicing === null ? samples : 1],
    prelude: slicing === null ? "" : windowReader("source", source.dtype, 4),
    body: `
for (var vector = lix; vector < u.run; vector += ${SIMD_LANES}u) {
  let at = (wid.z * u.runs + wid.y) * u.run + vector;
  packed[${
      separate
        ? "wid.y * u.stride + vector"
        : `wid.z * u.sample + vector / ${vectors}u * u.stride + wid.y * ${vectors}u + vector % ${vectors}u`
    }] = ${slicing === null ? load("source", "at", source.dtype, 4) : "sourceAt(at)"};
}`,
  });
}
