/**
 * The second stage of a split reduction: `target[row][group][column] = sum over splits of partial[split][row][group][column]`,
 * in order of the splits, plus a bias per column where there is one. Partial sums are f32 with columns padded to a
 * multiple of four; the target is not padded.
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
import { elementType, gather, load, store, vectorWidth } from "./access.ts";
import type { FloatBuffer } from "./float_buffer.ts";

export interface ReducePartialsOptions {
  readonly partial: BufferRef;
  readonly target: FloatBuffer;
  /** `[columns]`; wants `groups` of 1. */
  readonly bias?: FloatBuffer | null;
  readonly splits: number;
  readonly rows: number;
  readonly groups: number;
  /** Columns of a group. */
  readonly columns: number;
  readonly traits: DeviceTraits;
}

/** Bytes of the partial sums. */
export function partialBytes(shape: { splits: number; rows: number; groups: number; columns: number }): number {
  return shape.splits * shape.rows * shape.groups * Math.ceil(shape.columns / 4) * 16;
}

export function reducePartials(options: ReducePartialsOptions): KernelSpec {
  const { target, bias = null, splits, rows, groups, columns, traits } = options;
  const width = vectorWidth(columns);
  const vectors = Math.ceil(columns / 4);
  const count = rows * groups * vectors;
  // Few sums are spread over all cores; many want large workgroups.
  const lanes = traits.class === "cpu" && count < 8192 ? 8 : 64;
  const at = (j: number) => `min(column + ${j}u, u.columns - 1u)`;
  const to = `((i / (u.vectors * u.groups)) * u.groups + (i / u.vectors) % u.groups) * u.columns + column`;
  return defineKernel({
    name: `reduce_partials.${target.dtype}${width === 4 ? "" : ".odd"}${bias === null ? "" : ".bias"}`,
    buffers: {
      partial: { ref: options.partial, type: "vec4<f32>", access: "read" },
      ...(bias === null ? {} : { bias: { ref: bias.ref, type: elementType(bias.dtype, 1), access: "read" } }),
      result: { ref: target.ref, type: elementType(target.dtype, width) },
    },
    uniforms: { count, splits, vectors, groups, columns },
    workgroupSize: [lanes],
    grid: linearGrid(count, lanes, traits.maxWorkgroupsPerDimension),
    body: `
let i = ${LINEAR_INDEX(lanes)};
if (i >= u.count) { return; }
let column = (i % u.vectors) * 4u;
var sum = ${bias === null ? "vec4<f32>()" : gather("bias", [at(0), at(1), at(2), at(3)], bias.dtype)};
for (var s = 0u; s < u.splits; s++) { sum += ${load("partial", "s * u.count + i", "f32", 4)}; }
${
      width === 4 ? store("result", "i", "sum", target.dtype, 4) : `let to = ${to};
for (var c = 0u; c < min(4u, u.columns - column); c++) { ${store("result", "to + c", "sum[c]", target.dtype, 1)} }`
    }`,
  });
}
