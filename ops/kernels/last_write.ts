import { defineKernel, type KernelPlan, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { vectorLoop } from "./elementwise.ts";
import { type IndexedRows, placeOf } from "./gather.ts";
import { stepLoop, stepOfRow } from "./loop_limit.ts";

/** Invocations per workgroup. */
const LANES = 64;

/**
 * Returns the plan of y[outer][place][inner] = the last row whose index is the place, or -1. An invocation goes through all
 * rows of a line, so that the result is the same in every run. Input: indices i32.
 */
export function lastWritePlan(
  { outer, places, rows, inner, shared, wraps }: IndexedRows,
  traits: DeviceTraits,
): KernelPlan {
  const lines = shared ? 1 : outer * inner;
  const across = shared ? 1 : inner;
  const step = stepOfRow(rows, 1, traits);
  const cleared = defineKernel({
    name: "last_write.clear",
    buffers: { y_: { ref: { output: 0 }, type: "vec4<i32>" } },
    ...vectorLoop(Math.ceil(lines * places / 4), traits, "y_[i] = vec4<i32>(-1);"),
  });
  const written = defineKernel({
    name: `last_write${wraps ? ".wraps" : ""}${step === 1 ? "" : `.by${step}`}`,
    buffers: { indices: { ref: { input: 0 }, type: "i32" }, y_: { ref: { output: 0 }, type: "i32" } },
    uniforms: { lines, places, rows, across },
    workgroupSize: [LANES],
    grid: linearGrid(lines, LANES, traits.maxWorkgroupsPerDimension),
    body: `  let line = ${LINEAR_INDEX(LANES)};
  if (line >= u.lines) { return; }
  let image = line / u.across;
  let column = line % u.across;
  ${
      stepLoop({ first: "0u", by: "1u", end: "u.rows", step }, (k) =>
        `if (${k} < u.rows) {
    let index = indices[(image * u.rows + ${k}) * u.across + column];
    y_[(image * u.places + ${placeOf("index", wraps)}) * u.across + column] = i32(${k});
  }`)
    }`,
  });
  return { name: written.name, kernels: [cleared, written], workspace: [] };
}
