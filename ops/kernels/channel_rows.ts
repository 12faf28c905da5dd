/**
 * Kernels over a matrix `[rows, channels]`, such as the pixels of nhwc images: each lane walks some rows of one channel, or
 * of four neighbouring channels where they are a multiple of four.
 *
 * @module
 */
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import {
  defineKernel,
  type KernelOptions,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, vectorWidth } from "./access.ts";

const WORKGROUP = 64;

/** A matrix of rows by channels, in groups of `width` channels. */
export interface ChannelRows {
  readonly rows: number;
  readonly channels: number;
  readonly width: 1 | 4;
  readonly groups: number;
}

/** The rows and channels of `[n, c]` or nhwc `[n, c, h, w]`. */
export function channelRows(shape: Shape): ChannelRows {
  const channels = shape[1]!;
  const width = vectorWidth(channels);
  return { rows: sizeOf(shape) / channels, channels, width, groups: channels / width };
}

/** A tensor of `n` elements as one group of channels; the last row may reach into the padding. */
export function flatRows(n: number): ChannelRows {
  return { rows: Math.ceil(n / 4), channels: 4, width: 4, groups: 1 };
}

/**
 * How lanes share a channel's rows: in teams, each of which takes a block of neighbouring rows in turns, so that the lanes
 * that run together read memory from one end to the other. By the shape and the kind of adapter, not by its cores.
 */
export interface Walk {
  readonly lanes: number;
  /** Lanes that take turns. */
  readonly team: number;
  /** Rows of a team. */
  readonly block: number;
}

/** Lanes for kernels in which each lane keeps a partial result. */
export function partialWalk(shape: ChannelRows, traits: DeviceTraits): Walk {
  return walk(shape, traits, traits.class === "cpu" ? Math.max(64, Math.ceil(512 / shape.groups)) : 256);
}

/** Lanes for kernels that write each row: with enough rows per lane to pay for loading the channel's values. */
export function writingWalk(shape: ChannelRows, traits: DeviceTraits): Walk {
  return walk(shape, traits, Math.ceil(shape.rows / (traits.class === "cpu" ? 16 : 4)));
}

function walk({ rows, groups }: ChannelRows, traits: DeviceTraits, lanes: number): Walk {
  // lanes that a software adapter runs as one vector, a GPU as one or two
  const together = traits.class === "cpu" ? 8 : 64;
  const team = Math.min(rows, Math.max(1, Math.floor(together / groups)));
  const blocks = Math.ceil(Math.min(rows, lanes) / team);
  return { lanes: blocks * team, team, block: Math.ceil(rows / blocks) };
}

/** WGSL for the rows of a lane, which may be none: `firstRow`, `firstRow + u.team`, ... below `endRow`. */
const LANE_ROWS = `fn firstRow(lane: u32) -> u32 { return lane / u.team * u.block + lane % u.team; }
fn endRow(lane: u32) -> u32 { return min((lane / u.team + 1u) * u.block, u.rows); }
fn rowCount(lane: u32) -> u32 {
  return select(0u, (endRow(lane) - firstRow(lane) + u.team - 1u) / u.team, firstRow(lane) < endRow(lane));
}`;

export interface RowsKernelOptions extends Pick<KernelOptions, "name" | "buffers" | "uniforms" | "prelude"> {
  readonly shape: ChannelRows;
  readonly traits: DeviceTraits;
  readonly walk: Walk;
  /** Statements before the walk; they see the channel group `c` and the number `lane` among those of the group. */
  readonly before: string;
  /** Statements for each row; they see `i`, the place of the row's group. */
  readonly each: string;
  /** Statements behind the walk. */
  readonly after?: string;
}

/**
 * A kernel with the lanes of a walk for each group of channels. `V` is a group's f32 type, `rowCount(lane)` the number of
 * a lane's rows.
 */
export function rowsKernel(options: RowsKernelOptions): KernelSpec {
  const { shape, walk, traits } = options;
  return defineKernel({
    name: options.name,
    buffers: options.buffers,
    uniforms: { rows: shape.rows, groups: shape.groups, ...walk, ...options.uniforms },
    workgroupSize: [WORKGROUP],
    prelude: `alias V = ${elementType("f32", shape.width)};\n${LANE_ROWS}\n${options.prelude ?? ""}`,
    grid: linearGrid(walk.lanes * shape.groups, WORKGROUP, traits.maxWorkgroupsPerDimension),
    body: `  let index = ${LINEAR_INDEX(WORKGROUP)};
  let c = index % u.groups;
  let lane = index / u.groups;
  if (lane >= u.lanes) { return; }
  ${options.before}
  for (var row = firstRow(lane); row < endRow(lane); row += u.team) {
    let i = row * u.groups + c;
    ${options.each}
  }
  ${options.after ?? ""}`,
  });
}

/**
 * A kernel with one lane for each group of channels, which merges what the lanes of a walk have left; its statements see
 * the group `c`, `u.lanes` and `rowCount`.
 */
export function mergeKernel(
  options: Pick<RowsKernelOptions, "name" | "buffers" | "uniforms" | "shape" | "traits" | "walk"> & {
    readonly body: string;
  },
): KernelSpec {
  const { shape, traits, walk } = options;
  const size = traits.class === "cpu" ? 8 : WORKGROUP;
  return defineKernel({
    name: options.name,
    buffers: options.buffers,
    uniforms: { rows: shape.rows, groups: shape.groups, ...walk, ...options.uniforms },
    workgroupSize: [size],
    prelude: `alias V = ${elementType("f32", shape.width)};\n${LANE_ROWS}`,
    grid: linearGrid(shape.groups, size, traits.maxWorkgroupsPerDimension),
    body: `  let c = ${LINEAR_INDEX(size)};
  if (c >= u.groups) { return; }
  ${options.body}`,
  });
}
