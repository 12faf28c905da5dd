/**
 * Kernels that walk a matrix of rows and channels (`channel_rows.ts`), and kernels that merge their partial results.
 *
 * @module
 */
import {
  type BufferRef,
  defineKernel,
  type KernelOptions,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer } from "./access.ts";
import { AT_ONCE, type ChannelRows, columnsOf, placeWidth, teamFor, type Walk } from "./channel_rows.ts";
import { declarePlaces, placeCode, type PlaceOptions, placePrelude, severalPlaces } from "./elements.ts";
import { type Team, TEAM_SIZE, teamSum } from "./team.ts";

const WORKGROUP = 64;

/** WGSL for the rows of a lane: `firstRow`, `firstRow + u.team`, ... below `endRow`. A lane may have no rows. */
const LANE_ROWS = `fn firstRow(lane: u32) -> u32 { return lane / u.team * u.block + lane % u.team; }
fn endRow(lane: u32) -> u32 { return min((lane / u.team + 1u) * u.block, u.rows); }
fn rowCount(lane: u32) -> u32 {
  return select(0u, (endRow(lane) - firstRow(lane) + u.team - 1u) / u.team, firstRow(lane) < endRow(lane));
}`;

/** WGSL that makes neighbouring invocations read neighbouring channels of a row. */
const LANES_OF_A_ROW = `let column = invocation % u.columns;
  let lane = invocation / u.columns;
  if (lane >= u.lanes) { return; }`;

/** WGSL that makes neighbouring invocations read neighbouring rows of a channel. */
const LANES_OF_A_PLANE = `let lane = invocation % u.lanes;
  let column = invocation / u.lanes;
  if (column >= u.columns) { return; }`;

/** Builder of a lane's WGSL from the names of its variables and its channel group `c`. */
export type RowsText<K extends string> = (names: Readonly<Record<K | "c" | "index", string>>) => string;

/** Options of {@linkcode rowsKernel}; `K` are the names of its {@linkcode RowsKernelOptions.variables}. */
export interface RowsKernelOptions<K extends string>
  extends Pick<KernelOptions, "name" | "uniforms" | "prelude">, Pick<PlaceOptions, "reads"> {
  readonly shape: ChannelRows;
  readonly traits: DeviceTraits;
  readonly walk: Walk;
  /** f32 tensors of one number per row, which the code reads as `name[row]`. */
  readonly numbers?: Readonly<Record<string, BufferRef>>;
  /** Storage buffers in addition to the tensors. */
  readonly buffers: KernelOptions["buffers"];
  /** Tensors to write, each with the expression of its value. */
  readonly writes: Readonly<Record<string, FloatBuffer & { readonly value: RowsText<K> }>>;
  /** Variables that `before` may declare. A lane that walks two groups has two of each. */
  readonly variables: readonly K[];
  /** Declarations before the walk, which may use `lane`, the lane's number in its channel group. */
  readonly before: RowsText<K>;
  /** Statements for each row before its values are computed; they may use `row` and `i`, the index of the row's group. */
  readonly each: RowsText<K>;
  /** Variables of type `V` that hold the lane's sums in `after`. */
  readonly sums?: readonly K[];
  /** Statements after the walk. */
  readonly after?: RowsText<K>;
}

/**
 * Returns a kernel that runs a walk for each group of channels. In its code, `V` is the f32 type of a group,
 * `rowCount(lane)` the number of a lane's rows and `index` the lane's number among all lanes.
 */
export function rowsKernel<K extends string>(options: RowsKernelOptions<K>): KernelSpec {
  const { shape, traits, walk } = options;
  const planes = shape.plane !== null;
  const columns = columnsOf(shape);
  const render = (text: RowsText<K>, half: 0 | 1 = 0) => text(namesOf(options.variables, shape.pairs ? half : null));
  const places = placesOf(options, render);
  const before: RowsText<K> = (names) =>
    `let ${names.index} = lane * u.groups + ${names.c};\n  ${options.before(names)}`;
  const gpu = traits.class === "cpu" ? null : teamFor(shape);
  const size = gpu === null ? WORKGROUP : gpu.columns * gpu.members;
  const sums = options.sums ?? [];
  const numbers = Object.entries(options.numbers ?? {}).map(([name, ref]) =>
    [name, { ref, type: "f32", access: "read" }] as const
  );
  const forGroups = (text: RowsText<K>) => shape.pairs ? `${render(text, 0)}\n  ${render(text, 1)}` : render(text);
  return defineKernel({
    name: `${options.name}${planes ? ".planes" : ""}`,
    buffers: { ...declarePlaces(places), ...Object.fromEntries(numbers), ...options.buffers },
    uniforms: {
      rows: shape.rows,
      groups: shape.groups,
      columns,
      ...walk,
      ...(gpu === null ? {} : { tiles: gpu.tiles }),
      ...(planes ? { plane: shape.plane } : {}),
      ...options.uniforms,
    },
    workgroupSize: [size],
    prelude: () =>
      `alias V = ${elementType("f32", shape.width)};\n${LANE_ROWS}
fn place(row: u32, column: u32) -> u32 {
  return ${planes ? "(row / u.plane * u.columns + column) * u.plane + row % u.plane" : "row * u.columns + column"};
}
${placePrelude(places)}
${options.prelude ?? ""}${gpu !== null && sums.length > 0 ? `\n${teamSum(gpu, "V")}` : ""}`,
    grid: linearGrid(walk.lanes * (gpu === null ? columns : gpu.tiles * size), size, traits.maxWorkgroupsPerDimension),
    body: () =>
      gpu !== null ? teamBody(options, gpu, render(before), places) : `  let invocation = ${LINEAR_INDEX(size)};
  ${planes ? LANES_OF_A_PLANE : LANES_OF_A_ROW}
  ${shape.pairs ? "let c0 = column * 2u;\n  let c1 = column * 2u + 1u;" : "let c = column;"}
  ${forGroups(before)}
  for (var row = firstRow(lane); row < endRow(lane); row += u.team) {
    ${placeCode({ ...places, place: "place(row, column)" })}
  }
  ${forGroups((names) => `{ ${options.after?.(names) ?? ""} }`)}`,
  });
}

/** Returns the body in which a workgroup walks its rows, several at a time, and its first members run `after`. */
function teamBody<K extends string>(
  { variables, sums = [], after, shape }: RowsKernelOptions<K>,
  team: Team,
  before: string,
  places: Omit<PlaceOptions, "place">,
): string {
  const { columns, members } = team;
  const rows = (n: number) => `row + ${n * members}u`;
  // The index of a row is carried from one to the next, except in planes
  const carried = shape.plane === null;
  const place = (n: number) => carried ? `at + ${n * members}u * u.columns` : `place(${rows(n)}, column)`;
  const step = (n: number) => carried ? `at += ${n * members}u * u.columns;` : "";
  return `  let workgroup = wid.y * grid.x + wid.x;
  let lane = workgroup / u.tiles;
  let member = lix / ${columns}u;
  let side = workgroup % u.tiles * ${columns}u + lix % ${columns}u;
  let inside = side < u.columns && lane < u.lanes;
  let column = min(side, u.columns - 1u);
  let c = column;
  ${before}
  let end = select(0u, endRow(lane), inside);
  var row = firstRow(lane) + member;
  ${carried ? "var at = place(row, column);" : ""}
  for (; row + ${(AT_ONCE - 1) * members}u < end; row += ${AT_ONCE * members}u) {
    ${severalPlaces(places, Array.from({ length: AT_ONCE }, (_, n) => place(n)), (n) => ` let row = ${rows(n)};`)}
    ${step(AT_ONCE)}
  }
  for (; row < end; row += ${members}u) {
    ${placeCode({ ...places, place: place(0) })}
    ${step(1)}
  }
  ${sums.map((name) => `${name} = teamSum(${name}, lix);`).join("\n  ")}
  ${after === undefined ? "" : `if (inside && member == 0u) { ${after(namesOf(variables, null))} }`}`;
}

/** Returns the names of a group's variables: as declared, or with the group's number if a lane walks two groups. */
function namesOf<K extends string>(variables: readonly K[], half: 0 | 1 | null) {
  const entries = ["c", "index", ...variables].map((name) => [name, half === null ? name : `${name}${half}`]);
  return Object.fromEntries(entries) as Record<K | "c" | "index", string>;
}

function placesOf<K extends string>(
  { shape, reads, writes, each }: RowsKernelOptions<K>,
  render: (text: RowsText<K>, half: 0 | 1) => string,
): Omit<PlaceOptions, "place"> {
  const written = Object.entries(writes).map(([name, { value, ...buffer }]) =>
    [name, { ...buffer, value: (half: 0 | 1) => render(value, half) }] as const
  );
  return {
    width: placeWidth(shape),
    reads,
    writes: Object.fromEntries(written),
    statements: (half) => render(each, half),
  };
}

/** Building blocks of a merge's code for a class of adapter. */
export interface Merging {
  /** Head of a loop over all lanes or over a member's share of them. */
  readonly lanes: string;
  /** Returns statements that replace the members' sums, in variables of type `V`, by the sums over all lanes. */
  readonly add: (...names: readonly string[]) => string;
  /** Returns `code` restricted to one member. */
  readonly once: (code: string) => string;
}

const ALONE: Merging = {
  lanes: "for (var lane = 0u; lane < u.lanes; lane++)",
  add: () => "",
  once: (code) => code,
};

const TOGETHER: Merging = {
  lanes: `for (var lane = lix; lane < u.lanes; lane += ${TEAM_SIZE}u)`,
  add: (...names) => names.map((name) => `\n  ${name} = teamSum(${name}, lix);`).join(""),
  once: (code) => `if (lix == 0u) {\n  ${code}\n  }`,
};

/**
 * Returns a kernel that merges the partial results of a walk, with one lane (on GPUs one workgroup) per group of
 * channels. Its statements can use the group `c`, `u.lanes` and `rowCount`.
 */
export function mergeKernel(
  options: Pick<RowsKernelOptions<never>, "name" | "buffers" | "uniforms" | "shape" | "traits" | "walk"> & {
    readonly body: (merging: Merging) => string;
  },
): KernelSpec {
  const { shape, traits, walk } = options;
  const alone = traits.class === "cpu";
  const size = alone ? 8 : TEAM_SIZE;
  const sum = alone ? "" : `\n${teamSum({ columns: 1, members: TEAM_SIZE }, "V")}`;
  return defineKernel({
    name: options.name,
    buffers: options.buffers,
    uniforms: { rows: shape.rows, groups: shape.groups, ...walk, ...options.uniforms },
    workgroupSize: [size],
    prelude: () => `alias V = ${elementType("f32", shape.width)};\n${LANE_ROWS}${sum}`,
    grid: linearGrid(shape.groups * (alone ? 1 : size), size, traits.maxWorkgroupsPerDimension),
    body: () =>
      `  let c = ${alone ? LINEAR_INDEX(size) : "wid.y * grid.x + wid.x"};
  if (c >= u.groups) { return; }
  ${options.body(alone ? ALONE : TOGETHER)}`,
  });
}
