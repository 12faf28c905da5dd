/**
 * Kernels over a matrix `[rows, channels]`, such as the pixels of images: each lane walks some rows of one channel, or of four
 * neighbouring channels where they are a multiple of four. Channels are neighbours in memory, or planes of pixels (NCHW).
 *
 * @module
 */
import { sizeOf } from "../../runtime/core/shape.ts";
import {
  defineKernel,
  type KernelOptions,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import { elementType, vectorWidth } from "./access.ts";
import { declarePlaces, placeCode, type PlaceOptions, placePrelude, type PlaceWidth } from "./elements.ts";

const WORKGROUP = 64;

/** A matrix of rows by channels, in groups of `width` channels. */
export interface ChannelRows {
  readonly rows: number;
  readonly channels: number;
  readonly width: 1 | 4;
  readonly groups: number;
  /** Whether a lane walks two neighbouring groups, as `elements.ts` reads f16 on software adapters. */
  readonly pairs: boolean;
  /** Neighbouring rows that lie together, in planes; null where channels do. */
  readonly plane: number | null;
}

/** The rows and channels of `[n, c]` or `[n, c, h, w]`. */
export function channelRows(type: TensorType, traits: DeviceTraits): ChannelRows {
  return rowsOf(type, type.shape[1]!, traits);
}

/** The rows and channels of a tensor whose channels are dimension 1 of images and the last dimension otherwise. */
export function rowsOf(type: TensorType, channels: number, traits: DeviceTraits): ChannelRows {
  const { shape, layout } = type;
  const plane = shape.length === 4 && layout === "row" ? shape[2]! * shape[3]! : null;
  const width = plane === null ? vectorWidth(channels) : 1;
  const pairs = plane === null && channels % 8 === 0 && type.dtype === "f16" && traits.class === "cpu";
  return { rows: sizeOf(shape) / channels, channels, width, groups: channels / width, pairs, plane };
}

/** Numbers that a lane reads at a time. */
export function placeWidth({ width, pairs }: ChannelRows): PlaceWidth {
  return pairs ? 8 : width;
}

/** A tensor of `n` elements as one group of channels; the last row may reach into the padding. */
export function flatRows(n: number): ChannelRows {
  return { rows: Math.ceil(n / 4), channels: 4, width: 4, groups: 1, pairs: false, plane: null };
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
  return walk(shape, traits, traits.class === "cpu" ? Math.max(64, Math.ceil(512 / columnsOf(shape))) : 256);
}

/** Lanes for kernels that write each row: with enough rows per lane to pay for loading the channel's values. */
export function writingWalk(shape: ChannelRows, traits: DeviceTraits): Walk {
  return walk(shape, traits, Math.ceil(shape.rows / (traits.class === "cpu" ? 16 : 4)));
}

/** Lanes side by side in a row. */
function columnsOf({ groups, pairs }: ChannelRows): number {
  return pairs ? groups / 2 : groups;
}

function walk(shape: ChannelRows, traits: DeviceTraits, lanes: number): Walk {
  const { rows, plane } = shape;
  // lanes that a software adapter runs as one vector, a GPU as one or two
  const together = traits.class === "cpu" ? 8 : 64;
  const team = Math.min(rows, Math.max(1, plane === null ? Math.floor(together / columnsOf(shape)) : together));
  const blocks = Math.ceil(Math.min(rows, lanes) / team);
  return { lanes: blocks * team, team, block: Math.ceil(rows / blocks) };
}

/** WGSL for the rows of a lane, which may be none: `firstRow`, `firstRow + u.team`, ... below `endRow`. */
const LANE_ROWS = `fn firstRow(lane: u32) -> u32 { return lane / u.team * u.block + lane % u.team; }
fn endRow(lane: u32) -> u32 { return min((lane / u.team + 1u) * u.block, u.rows); }
fn rowCount(lane: u32) -> u32 {
  return select(0u, (endRow(lane) - firstRow(lane) + u.team - 1u) / u.team, firstRow(lane) < endRow(lane));
}`;

/** Invocations that run together read neighbouring channels of a row. */
const LANES_OF_A_ROW = `let column = invocation % u.columns;
  let lane = invocation / u.columns;
  if (lane >= u.lanes) { return; }`;

/** Invocations that run together read neighbouring rows of a channel. */
const LANES_OF_A_PLANE = `let lane = invocation % u.lanes;
  let column = invocation / u.lanes;
  if (column >= u.columns) { return; }`;

export interface RowsKernelOptions
  extends Pick<KernelOptions, "name" | "uniforms" | "prelude">, Pick<PlaceOptions, "reads" | "writes"> {
  readonly shape: ChannelRows;
  readonly traits: DeviceTraits;
  readonly walk: Walk;
  /** Storage buffers besides the tensors. */
  readonly buffers: KernelOptions["buffers"];
  /** Declarations before the walk; they see the channel group `c` and the number `lane` among those of the group. */
  readonly before: string;
  /** Statements for each row, before its values are computed; they see `i`, the place of the row's group. */
  readonly each: string;
  /** Statements behind the walk. */
  readonly after?: string;
}

/**
 * A kernel with the lanes of a walk for each group of channels. `V` is a group's f32 type, `rowCount(lane)` the number of
 * a lane's rows, `index` the lane's number among all. Where a lane walks two groups, each has variables of its own.
 */
export function rowsKernel(options: RowsKernelOptions): KernelSpec {
  const { shape, walk, traits } = options;
  const planes = shape.plane !== null;
  const columns = columnsOf(shape);
  const places = { width: placeWidth(shape), reads: options.reads, writes: options.writes } as const;
  const before = `let index = lane * u.groups + c;\n  ${options.before}`;
  const own = new RegExp(`(?<![\\w.])(?:c|${declaredIn(before).join("|")})\\b`, "g");
  const ofGroup = (code: string, group: 0 | 1) => shape.pairs ? code.replace(own, `$&${group}`) : code;
  const forGroups = (code: string) => shape.pairs ? `${ofGroup(code, 0)}\n  ${ofGroup(code, 1)}` : code;
  return defineKernel({
    name: `${options.name}${planes ? ".planes" : ""}`,
    buffers: { ...declarePlaces(places), ...options.buffers },
    uniforms: {
      rows: shape.rows,
      groups: shape.groups,
      columns,
      ...walk,
      ...(planes ? { plane: shape.plane } : {}),
      ...options.uniforms,
    },
    workgroupSize: [WORKGROUP],
    prelude: `alias V = ${elementType("f32", shape.width)};\n${LANE_ROWS}
fn place(row: u32, column: u32) -> u32 {
  return ${planes ? "(row / u.plane * u.columns + column) * u.plane + row % u.plane" : "row * u.columns + column"};
}
${placePrelude(places)}
${options.prelude ?? ""}`,
    grid: linearGrid(walk.lanes * columns, WORKGROUP, traits.maxWorkgroupsPerDimension),
    body: `  let invocation = ${LINEAR_INDEX(WORKGROUP)};
  ${planes ? LANES_OF_A_PLANE : LANES_OF_A_ROW}
  ${shape.pairs ? "let c0 = column * 2u;\n  let c1 = column * 2u + 1u;" : "let c = column;"}
  ${forGroups(before)}
  for (var row = firstRow(lane); row < endRow(lane); row += u.team) {
    ${placeCode({ ...places, place: "place(row, column)", statements: options.each }, ofGroup)}
  }
  ${forGroups(`{ ${options.after ?? ""} }`)}`,
  });
}

function declaredIn(code: string): string[] {
  return [...code.matchAll(/\b(?:let|var) (\w+)/g)].map(([, name]) => name!);
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
