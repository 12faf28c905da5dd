/**
 * Kernels that read rows by index, and that add rows to places by index. The latter link the rows of each place to a
 * list, so that each sum runs in the order of the rows, without atomic operations: the same bits in every run.
 *
 * @module
 */
import type { DType } from "../../runtime/core/dtype.ts";
import { defineKernel, type KernelPlan, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, load, store, vectorWidth } from "./access.ts";
import { vectorLoop } from "./elementwise.ts";
import type { FloatBuffer } from "./float_buffer.ts";
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
}

/** Invocations per workgroup. */
const LANES = 64;
/** End of a list. */
const NONE = "0xffffffffu";

/** Returns the plan of y[outer][row][inner] = x[outer][index][inner]. Inputs: x, indices i32. */
export function gatherPlan(name: string, dtype: DType, sizes: IndexedRows, traits: DeviceTraits): KernelPlan {
  const { outer, places, rows, inner, shared } = sizes;
  const width = shared ? vectorWidth(inner) : 1;
  const across = inner / width;
  const type = width === 4 ? `vec4<${dtype}>` : dtype;
  const elements = outer * rows * inner;
  const [column, row] = [divisorOf("inner", across, elements / width), divisorOf("rows", rows, elements / width)];
  const kernel = defineKernel({
    name: `${name}.${dtype}.x${width}${shared ? "" : ".elements"}`,
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
  let place = u32(clamp(index, 0, i32(u.places) - 1));
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

/**
 * Returns the plan of y[outer][place][inner] = sum of x[outer][row][inner] over the rows whose index is the place.
 * Inputs: x, indices i32.
 */
export function scatterAddPlan(
  name: string,
  x: FloatBuffer,
  y: FloatBuffer,
  sizes: IndexedRows,
  traits: DeviceTraits,
): KernelPlan {
  const { outer, places, rows, inner, shared } = sizes;
  const width = shared ? vectorWidth(inner) : 1;
  const planes = shared ? 1 : outer * inner;
  // Lists per plane: neighbouring planes are neighbours in the indices
  const across = shared ? 1 : inner;
  const firsts = Math.ceil(planes * places / 4);
  const clear = defineKernel({
    name: `${name}.clear`,
    buffers: { firsts: { ref: { workspace: 0 }, type: "vec4<u32>" } },
    ...vectorLoop(firsts, traits, `firsts[i] = vec4<u32>(${NONE});`),
  });
  const links = planes * rows;
  const link = defineKernel({
    name: `${name}.link`,
    buffers: {
      indices: { ref: { input: 1 }, type: "i32" },
      firsts: { ref: { workspace: 0 }, type: "u32" },
      nexts: { ref: { workspace: 1 }, type: "u32" },
    },
    uniforms: { links, rows, places, across },
    workgroupSize: [LANES],
    grid: linearGrid(links, LANES, traits.maxWorkgroupsPerDimension),
    prelude: "fn placeAt(i: u32) -> u32 { return u32(clamp(indices[i], 0, i32(u.places) - 1)); }",
    body: `  let i = ${LINEAR_INDEX(LANES)};
  if (i >= u.links) { return; }
  let row = i / u.across % u.rows;
  let plane = i / (u.across * u.rows) * u.across + i % u.across;
  let place = placeAt(i);
  var earlier = row;
  while (earlier > 0u && placeAt(i - (row - earlier + 1u) * u.across) != place) { earlier--; }
  if (earlier == 0u) { firsts[plane * u.places + place] = row; }
  var later = row + 1u;
  while (later < u.rows && placeAt(i + (later - row) * u.across) != place) { later++; }
  nexts[plane * u.rows + row] = select(${NONE}, later, later < u.rows);`,
  });
  const units = outer * places * inner / width;
  const sum = defineKernel({
    name: `${name}.sum.${x.dtype}.x${width}`,
    buffers: {
      x_: { ref: x.ref, type: elementType(x.dtype, width), access: "read" },
      firsts: { ref: { workspace: 0 }, type: "u32", access: "read" },
      nexts: { ref: { workspace: 1 }, type: "u32", access: "read" },
      y_: { ref: y.ref, type: elementType(y.dtype, width) },
    },
    uniforms: { units, places, rows, inner: inner / width },
    workgroupSize: [LANES],
    grid: linearGrid(units, LANES, traits.maxWorkgroupsPerDimension),
    body: `  let i = ${LINEAR_INDEX(LANES)};
  if (i >= u.units) { return; }
  let column = i % u.inner;
  let place = i / u.inner % u.places;
  let image = i / u.inner / u.places;
  let plane = ${shared ? "0u" : "image * u.inner + column"};
  var sum = ${width === 4 ? "vec4<f32>()" : "0.0"};
  var row = firsts[plane * u.places + place];
  while (row != ${NONE}) {
    sum += ${load("x_", "(image * u.rows + row) * u.inner + column", x.dtype, width)};
    row = nexts[plane * u.rows + row];
  }
  ${store("y_", "i", "sum", y, width)}`,
  });
  return { name: sum.name, kernels: [clear, link, sum], workspace: [firsts * 16, links * 4] };
}
