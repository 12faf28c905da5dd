/**
 * The stage behind kernels over channels (`channel_rows.ts`): merges what the lanes of a walk have left of each channel.
 *
 * @module
 */
import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType } from "./access.ts";
import { LANE_ROWS, type RowsKernelOptions } from "./channel_rows.ts";
import { simdLanes } from "./simd.ts";

const WORKGROUP = 64;

/**
 * Who merges what the lanes of a walk have left of a group of channels: one invocation (null), which adds in order, or a
 * subgroup of so many. That adds in an order which WGSL leaves to the adapter, the same whenever it runs there.
 */
export type Merger = number | null;

/** Mergers worth trying, the default first: on a GPU one invocation reads for long, and subgroups were not timed. */
export function mergers(traits: DeviceTraits): Merger[] {
  const lanes = traits.class === "gpu" ? simdLanes(traits) : null;
  return lanes === null ? [null] : [null, lanes];
}

/** A part of the names of kernels and plans. */
export function mergerName(merger: Merger): string {
  return merger === null ? "" : `.subgroup${merger}`;
}

/** What the statements of a merger differ in. */
export interface Merging {
  /** Head of a loop over each `lane` of the walk. */
  readonly lanes: string;
  /** The statement that makes a variable with a loop's sum that of all lanes. */
  total(name: string): string;
}

/**
 * A kernel that merges what the lanes of a walk have left of each group of channels; its statements see the group `c`,
 * `u.lanes` and `rowCount`.
 */
export function mergeKernel(
  options: Pick<RowsKernelOptions, "name" | "buffers" | "uniforms" | "shape" | "traits" | "walk"> & {
    readonly merger: Merger;
    /** Statements that add up. */
    readonly sums: (merging: Merging) => string;
    /** Statements that write the results. */
    readonly writes: string;
  },
): KernelSpec {
  const { shape, traits, walk, merger, sums, writes } = options;
  const size = merger ?? (traits.class === "cpu" ? 8 : WORKGROUP);
  const { group, body } = merger === null ? inOrder(sums, writes, size) : bySubgroup(sums, writes, merger);
  return defineKernel({
    name: `${options.name}${mergerName(merger)}`,
    buffers: options.buffers,
    uniforms: { rows: shape.rows, groups: shape.groups, ...walk, ...options.uniforms },
    workgroupSize: [size],
    prelude: `alias V = ${elementType("f32", shape.width)};\n${LANE_ROWS}`,
    grid: linearGrid(shape.groups * (merger ?? 1), size, traits.maxWorkgroupsPerDimension),
    body: `  let c = ${group};
  if (c >= u.groups) { return; }
  ${body}`,
  });
}

function inOrder(sums: (merging: Merging) => string, writes: string, size: number) {
  const lanes = "for (var lane = 0u; lane < u.lanes; lane++)";
  return { group: LINEAR_INDEX(size), body: `${sums({ lanes, total: () => "" })}\n  ${writes}` };
}

function bySubgroup(sums: (merging: Merging) => string, writes: string, size: number) {
  const lanes = `for (var lane = lix; lane < u.lanes; lane += ${size}u)`;
  const total = (name: string) => `${name} = subgroupAdd(${name});`;
  return {
    group: "wid.y * grid.x + wid.x",
    body: `${sums({ lanes, total })}\n  if (lix > 0u) { return; }\n  ${writes}`,
  };
}
