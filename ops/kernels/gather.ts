import type { DType } from "../../runtime/core/dtype.ts";
import { defineKernel, type KernelPlan } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { vectorWidth } from "./access.ts";
import { vectorLoop } from "./elementwise.ts";
import { DIVISION, divisorOf } from "./strided.ts";

/** Sizes of tensors that are seen as `[outer, rows, inner]`, and their indices. */
export interface IndexedRows {
  readonly outer: number;
  /** Rows of the indexed tensor; an index is clamped to them. */
  readonly places: number;
  /** Number of indices per line. */
  readonly rows: number;
  readonly inner: number;
  /** True if one list of `rows` indices serves all of `outer` and `inner`; false if each element has its own index. */
  readonly shared: boolean;
  /** True if negative indices count from the end. */
  readonly wraps: boolean;
}

/** Returns WGSL of the place that an index, an expression without side effects, names; the nearest if it is out of range. */
export function placeOf(index: string, wraps: boolean): string {
  return `u32(clamp(${
    wraps ? `select(${index}, ${index} + i32(u.places), ${index} < 0)` : index
  }, 0, i32(u.places) - 1))`;
}

/** Returns the plan of y[outer][row][inner] = x[outer][index][inner]. Inputs: x, indices i32. */
export function gatherPlan(name: string, dtype: DType, sizes: IndexedRows, traits: DeviceTraits): KernelPlan {
  // Pairs of f16 move as words
  if (dtype === "f16" && sizes.shared && sizes.inner % 8 === 0) {
    return gatherPlan(`${name}.pairs`, "u32", { ...sizes, inner: sizes.inner / 2 }, traits);
  }
  const { outer, places, rows, inner, shared, wraps } = sizes;
  const width = shared ? vectorWidth(inner) : 1;
  const across = inner / width;
  const type = width === 4 ? `vec4<${dtype}>` : dtype;
  const elements = outer * rows * inner;
  const [column, row] = [divisorOf("inner", across, elements / width), divisorOf("rows", rows, elements / width)];
  const kernel = defineKernel({
    name: `${name}.${dtype}.x${width}${shared ? "" : ".elements"}${wraps ? ".wraps" : ""}`,
    buffers: {
      x_: { ref: { input: 0 }, type },
      indices: { ref: { input: 1 }, type: "i32" },
      y_: { ref: { output: 0 }, type: `vec4<${dtype}>` },
    },
    prelude: `${DIVISION}
fn unitAt(e: u32) -> ${type} {
  let line = ${column.by("e")};
  let image = ${row.by("line")};
  let index = indices[${shared ? "line - image * u.rows" : "e"}];
  let place = ${placeOf("index", wraps)};
  return x_[(image * u.places + place) * u.inner + e - line * u.inner];
}`,
    ...vectorLoop(
      Math.ceil(elements / 4),
      traits,
      width === 4 ? "y_[i] = unitAt(i);" : `let at = min(i * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.last));
    y_[i] = vec4<${dtype}>(unitAt(at.x), unitAt(at.y), unitAt(at.z), unitAt(at.w));`,
      { rows, places, inner: across, last: elements / width - 1, ...column.uniforms, ...row.uniforms },
    ),
  });
  return { name: kernel.name, kernels: [kernel], workspace: [] };
}
