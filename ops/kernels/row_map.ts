/**
 * Kernels that read the rows of a matrix `[n, width]`, compute numbers of each row, and write rows.
 *
 * @module
 */
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import type { RowMapOptions } from "./row_code.ts";
import { rowLoop } from "./row_loop.ts";
import { rowSimd } from "./row_simd.ts";

export type { RowCode, RowInput } from "./row_code.ts";

/** Returns the plan of one kernel. Columns outside of the range are written as 0. */
export function rowMap(options: RowMapOptions): KernelPlan {
  return rowSimd(options) ?? rowLoop(options);
}
