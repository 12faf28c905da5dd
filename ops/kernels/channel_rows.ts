/**
 * Matrices `[rows, channels]`, such as the pixels of images, and how kernels walk them: each lane walks some rows of one
 * channel, or of four neighbouring channels if the number of channels is a multiple of four. Channels are neighbours in
 * memory, or planes of pixels (NCHW).
 *
 * @module
 */
import { roundUp } from "../../runtime/core/round_up.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { inPlanes, type TensorType } from "../../runtime/graph/types.ts";
import { vectorWidth } from "./access.ts";
import type { PlaceWidth } from "./elements.ts";
import { teamOf } from "./team.ts";

/** Rows whose reads an invocation overlaps on GPUs. */
export const AT_ONCE = 4;
/** Partial sums on GPUs: number of workgroups that keeps a large GPU busy, and minimum rows per workgroup. */
const WORKGROUPS = 1024;
const MIN_ROWS = 8;
/** Maximum rows per invocation for which a single workgroup covers all rows. */
const MAX_ROWS = 32;

/** A matrix of rows and channels, in groups of `width` channels. */
export interface ChannelRows {
  readonly rows: number;
  readonly channels: number;
  readonly width: 1 | 4;
  readonly groups: number;
  /** True if a lane walks two neighbouring groups, which is how `elements.ts` reads f16 on software adapters. */
  readonly pairs: boolean;
  /** Contiguous rows in a plane (NCHW); null if channels are contiguous. */
  readonly plane: number | null;
}

/** Returns the rows and channels of `[n, c]` or `[n, c, h, w]`. */
export function channelRows(type: TensorType, traits: DeviceTraits): ChannelRows {
  return rowsOf(type, type.shape[1]!, traits);
}

/**
 * Returns the rows and channels of a tensor whose channels are dimension 1 of images and the last dimension otherwise.
 */
export function rowsOf(type: TensorType, channels: number, traits: DeviceTraits): ChannelRows {
  const { shape } = type;
  const plane = inPlanes(type) ? shape[2]! * shape[3]! : null;
  const width = plane === null ? vectorWidth(channels) : 1;
  const pairs = plane === null && channels % 8 === 0 && type.dtype === "f16" && traits.class === "cpu";
  return { rows: sizeOf(shape) / channels, channels, width, groups: channels / width, pairs, plane };
}

/** Returns how many numbers a lane reads at a time. */
export function placeWidth({ width, pairs }: ChannelRows): PlaceWidth {
  return pairs ? 8 : width;
}

/** Returns a tensor of `n` elements as one group of channels; the last row may extend into the padding. */
export function flatRows(n: number): ChannelRows {
  return { rows: Math.ceil(n / 4), channels: 4, width: 4, groups: 1, pairs: false, plane: null };
}

/**
 * Division of a channel's rows among lanes. A team of lanes shares a block of neighbouring rows and takes them in
 * turns, so that lanes which run together read memory sequentially. The division depends on the shape and the class of
 * adapter, not on the number of cores. On GPUs a lane is a workgroup (`team.ts`) whose members take its rows in turns.
 */
export interface Walk {
  readonly lanes: number;
  /** Lanes per team. */
  readonly team: number;
  /** Rows per team. */
  readonly block: number;
}

/** Returns the walk for kernels in which each lane keeps a partial result. */
export function partialWalk(shape: ChannelRows, traits: DeviceTraits): Walk {
  if (traits.class === "cpu") return walk(shape, Math.max(64, Math.ceil(512 / columnsOf(shape))));
  const { tiles, members } = teamFor(shape);
  const rows = Math.max(MIN_ROWS, shape.rows / Math.ceil(WORKGROUPS / tiles) / members);
  return blocks(shape, members * roundUp(Math.ceil(rows), AT_ONCE));
}

/** Returns {@linkcode partialWalk}, or a single lane if there are so few rows that a merge kernel would cost more. */
export function soleWalk(shape: ChannelRows, traits: DeviceTraits): Walk {
  const sole = traits.class !== "cpu" && shape.rows <= teamFor(shape).members * MAX_ROWS;
  return sole ? blocks(shape, shape.rows) : partialWalk(shape, traits);
}

/**
 * Returns the walk for kernels that write each row, with enough rows per lane to amortise loading the channel's values.
 */
export function writingWalk(shape: ChannelRows, traits: DeviceTraits): Walk {
  if (traits.class === "cpu") return walk(shape, Math.ceil(shape.rows / 16));
  return blocks(shape, teamFor(shape).members * AT_ONCE);
}

/** Returns the number of lanes side by side in a row. */
export function columnsOf({ groups, pairs }: ChannelRows): number {
  return pairs ? groups / 2 : groups;
}

/** Returns the workgroup of a GPU and the number of workgroups side by side. */
export function teamFor(shape: ChannelRows) {
  const columns = columnsOf(shape);
  const team = teamOf(shape.plane === null ? columns : 1);
  return { ...team, tiles: Math.ceil(columns / team.columns) };
}

/** Returns a walk with `rows` per lane. */
function blocks(shape: ChannelRows, rows: number): Walk {
  const block = Math.min(shape.rows, rows);
  return { lanes: Math.ceil(shape.rows / block), team: 1, block };
}

function walk(shape: ChannelRows, lanes: number): Walk {
  const { rows } = shape;
  const team = teamOfVector(shape, rows);
  const blocks = Math.ceil(Math.min(rows, lanes) / team);
  return { lanes: blocks * team, team, block: Math.ceil(rows / blocks) };
}

/** Returns the lanes of a team among those that a software adapter runs as one vector. */
function teamOfVector(shape: ChannelRows, rows: number): number {
  const together = 8;
  return Math.min(rows, Math.max(1, shape.plane === null ? Math.floor(together / columnsOf(shape)) : together));
}
