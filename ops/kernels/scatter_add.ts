/**
 * Kernels that add rows to places by index. They link the rows of each place to a list, so that each sum runs in the order
 * of the rows, without atomic operations: the same bits in every run.
 *
 * The rows are divided into blocks. A block keeps the first and the last row of each place, and goes through its rows from
 * the last to the first: the work grows with the rows, whatever the indices. A second kernel joins the lists of the blocks.
 *
 * @module
 */
import {
  defineKernel,
  type KernelPlan,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, load, store, vectorWidth } from "./access.ts";
import { inPairs } from "./elements.ts";
import { leastLanes, MAX_ITERATIONS } from "./loop_limit.ts";
import { PACK_F16 } from "./half_words.ts";
import { vectorLoop } from "./elementwise.ts";
import { type IndexedRows, placeOf } from "./gather.ts";
import { unroll } from "./unroll.ts";

/** Invocations per workgroup. */
const LANES = 64;
/** Rows that a workgroup links at once on GPUs. */
const TEAM = 64;
/** End of a list. */
const NONE = "0xffffffffu";
/** Blocks that occupy a device, if they have this many rows each. */
const BLOCKS = { cpu: 16, gpu: 256 } as const;
const ROWS_PER_BLOCK = 64;
/** Rows per iteration of a sum of many rows on software adapters, and maximum rows that a dispatch adds to a place. */
const STEP = 16;
const MAX_ROWS = MAX_ITERATIONS * STEP;
/** Words of the blocks' tables that may always be used, and their maximum part of the result's elements. */
const TABLE = 1 << 18;
const TABLE_PART = 1 / 8;

/** Lists of rows, by plane: the indices of a plane are independent of those of the others. */
interface Lists {
  readonly planes: number;
  /** Distance between the indices of neighbouring rows of a plane; neighbouring planes are neighbours in the indices. */
  readonly across: number;
  readonly rows: number;
  readonly places: number;
  readonly blocks: number;
  readonly wraps: boolean;
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
  const planes = shared ? 1 : outer * inner;
  const lists: Lists = {
    planes,
    across: shared ? 1 : inner,
    rows,
    places,
    wraps: sizes.wraps,
    blocks: blocksOf(sizes, planes, traits),
  };
  const heads = planes * lists.blocks * places;
  // Dispatches after the first continue lists that are too long for it
  const passes = traits.class === "cpu" ? Math.ceil(rows / MAX_ROWS) : 1;
  const sums = Array.from(
    { length: passes },
    (_, pass) => sumKernel(name, x, y, sizes, lists, traits, passes === 1 ? null : pass),
  );
  const kernels = [clearKernel(name, heads, traits), linkKernel(name, lists, traits)];
  if (lists.blocks > 1) kernels.push(joinKernel(name, lists, traits));
  return {
    name: sums[0]!.name,
    kernels: [...kernels, ...sums],
    workspace: [
      Math.ceil(heads / 4) * 16,
      planes * rows * 4,
      ...lists.blocks > 1 ? [heads * 4] : [],
      ...passes > 1 ? [outer * places * inner * 4] : [],
    ],
  };
}

function blocksOf({ outer, places, rows, inner }: IndexedRows, planes: number, traits: DeviceTraits): number {
  const wanted = Math.ceil(BLOCKS[traits.class] / planes);
  const fitting = Math.floor(Math.max(TABLE, outer * places * inner * TABLE_PART) / (planes * places));
  const least = leastLanes(rows, 0, traits); // a lane links the rows of a block
  return Math.max(least, Math.min(wanted, fitting, Math.floor(rows / ROWS_PER_BLOCK)));
}

function clearKernel(name: string, heads: number, traits: DeviceTraits): KernelSpec {
  return defineKernel({
    name: `${name}.clear`,
    buffers: { heads: { ref: { workspace: 0 }, type: "vec4<u32>" } },
    ...vectorLoop(Math.ceil(heads / 4), traits, `heads[i] = vec4<u32>(${NONE});`),
  });
}

/** Returns the kernel that links the rows of each block, in a lane on software adapters and in a workgroup on GPUs. */
function linkKernel(
  name: string,
  { planes, across, rows, places, blocks, wraps }: Lists,
  traits: DeviceTraits,
): KernelSpec {
  const alone = traits.class === "cpu";
  const lanes = alone ? 8 : TEAM;
  const count = planes * blocks;
  const tails = blocks > 1;
  const tail = (condition: string) => tails ? `if (${condition}) { tails[at] = row; }` : "";
  return defineKernel({
    name: `${name}.link${tails ? ".blocks" : ""}${wraps ? ".wraps" : ""}`,
    buffers: {
      indices: { ref: { input: 1 }, type: "i32" },
      heads: { ref: { workspace: 0 }, type: "u32" },
      nexts: { ref: { workspace: 1 }, type: "u32" },
      ...tails ? { tails: { ref: { workspace: 2 }, type: "u32" } } : {},
    },
    uniforms: { count, blocks, rows, places, across, perBlock: Math.ceil(rows / blocks) },
    workgroupSize: [lanes],
    grid: linearGrid(alone ? count : count * TEAM, lanes, traits.maxWorkgroupsPerDimension),
    prelude: `${alone ? "" : `var<workgroup> places: array<u32, ${TEAM}>;\n`}fn placeAt(i: u32) -> u32 {
  let index = indices[i];
  return ${placeOf("index", wraps)};
}`,
    body: `  let index = ${alone ? LINEAR_INDEX(lanes) : "wid.y * grid.x + wid.x"};
  if (index >= u.count) { return; }
  let plane = index / u.blocks;
  let begin = (index % u.blocks) * u.perBlock;
  let end = min(begin + u.perBlock, u.rows);
  let first = plane / u.across * (u.across * u.rows) + plane % u.across;
${
      alone
        ? `  for (var row = end; row > begin;) {
    row--;
    let at = index * u.places + placeAt(first + row * u.across);
    let next = heads[at];
    nexts[plane * u.rows + row] = next;
    heads[at] = row;
    ${tail(`next == ${NONE}`)}
  }`
        : `  for (var left = (max(end, begin) - begin + ${TEAM - 1}u) / ${TEAM}u; left > 0u; left--) {
    let row = begin + (left - 1u) * ${TEAM}u + lix;
    let valid = row < end;
    let place = select(${NONE}, placeAt(first + min(row, u.rows - 1u) * u.across), valid);
    workgroupBarrier();
    places[lix] = place;
    workgroupBarrier();
    var later = lix + 1u;
    while (later < ${TEAM}u && places[later] != place) { later++; }
    var earlier = 0u;
    while (places[earlier] != place) { earlier++; }
    let at = index * u.places + select(place, 0u, !valid);
    var next = ${NONE};
    if (valid && later == ${TEAM}u) { next = heads[at]; }
    storageBarrier();
    if (valid) {
      nexts[plane * u.rows + row] = select(next, row - lix + later, later < ${TEAM}u);
      if (earlier == lix) { heads[at] = row; }
      ${tail(`later == ${TEAM}u && next == ${NONE}`)}
    }
    storageBarrier();
  }`
    }`,
  });
}

/** Returns the kernel that joins the lists of the blocks to that of the first block, in the order of the rows. */
function joinKernel(name: string, { planes, rows, places, blocks }: Lists, traits: DeviceTraits): KernelSpec {
  const count = planes * places;
  return defineKernel({
    name: `${name}.join`,
    buffers: {
      heads: { ref: { workspace: 0 }, type: "u32" },
      nexts: { ref: { workspace: 1 }, type: "u32" },
      tails: { ref: { workspace: 2 }, type: "u32", access: "read" },
    },
    uniforms: { count, rows, places, blocks },
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    body: `  let i = ${LINEAR_INDEX(LANES)};
  if (i >= u.count) { return; }
  let plane = i / u.places;
  let base = plane * u.blocks * u.places + i % u.places;
  var first = ${NONE};
  var last = ${NONE};
  for (var block = 0u; block < u.blocks; block++) {
    let head = heads[base + block * u.places];
    if (head == ${NONE}) { continue; }
    if (last == ${NONE}) { first = head; } else { nexts[plane * u.rows + last] = head; }
    last = tails[base + block * u.places];
  }
  heads[base] = first;`,
  });
}

/**
 * Returns the kernel that adds the rows of each list.
 *
 * @param pass number of the dispatch if each adds at most {@linkcode MAX_ROWS}
 */
function sumKernel(
  name: string,
  x: FloatBuffer,
  y: FloatBuffer,
  { outer, inner, shared }: IndexedRows,
  { rows, places, blocks }: Lists,
  traits: DeviceTraits,
  pass: number | null,
): KernelSpec {
  const width = shared ? vectorWidth(inner) : 1;
  const across = inner / width;
  // A list is read once for several vectors of a row
  const vectors = traits.class === "cpu" && shared ? [8, 4, 2, 1].find((n) => across % n === 0)! : 1;
  // Software adapters load and store eight f16 at a time
  const packed = width === 4 && vectors % 2 === 0 && y.epilogue === undefined && inPairs({ x, y }, traits);
  const isPacked = ({ dtype }: FloatBuffer) => packed && dtype === "f16";
  const units = outer * places * across / vectors;
  // All rows may be in one list
  const step = traits.class === "cpu" && rows > MAX_ITERATIONS ? STEP : 1;
  const zero = width === 4 ? "vec4<f32>()" : "0.0";
  const next = pass !== null && pass > 0;
  const sumSoFar = (v: number) => {
    if (!isPacked(y)) return load("y_", `to + ${v}u`, y.dtype, width);
    const words = (w: number) => `unpack2x16float(y_[to / 2u + ${v >> 1}u][${(v % 2) * 2 + w}])`;
    return `vec4<f32>(${words(0)}, ${words(1)})`;
  };
  return defineKernel({
    name: `${name}.sum.${x.dtype}.x${width}${vectors > 1 ? `.${vectors}` : ""}${packed ? ".packed" : ""}${
      step > 1 ? `.by${step}` : ""
    }${pass === null ? "" : pass === 0 ? ".first" : ".next"}`,
    buffers: {
      x_: { ref: x.ref, type: isPacked(x) ? "vec4<u32>" : elementType(x.dtype, width), access: "read" },
      heads: { ref: { workspace: 0 }, type: "u32", access: "read" },
      nexts: { ref: { workspace: 1 }, type: "u32", access: "read" },
      ...pass === null ? {} : { rest: { ref: { workspace: 3 }, type: "u32" } },
      y_: { ref: y.ref, type: isPacked(y) ? "vec4<u32>" : elementType(y.dtype, width) },
    },
    uniforms: { units, places, rows, inner: across, perPlane: blocks * places },
    workgroupSize: [LANES],
    grid: linearGrid(units, LANES, traits.maxWorkgroupsPerDimension),
    prelude: packed ? PACK_F16 : "",
    body: `  let i = ${LINEAR_INDEX(LANES)};
  if (i >= u.units) { return; }
  let to = i * ${vectors}u;
  let column = to % u.inner;
  let place = to / u.inner % u.places;
  let image = to / u.inner / u.places;
  let plane = ${shared ? "0u" : "image * u.inner + column"};
  var row = ${next ? "rest[i]" : "heads[plane * u.perPlane + place]"};
${next ? `  if (row == ${NONE}) { return; }` : ""}
${unroll(vectors, (v) => `  var sum${v} = ${next ? sumSoFar(v) : zero};`)}
  ${pass === null ? `while (row != ${NONE}) {` : `for (var n = 0u; n < ${MAX_ITERATIONS}u && row != ${NONE}; n++) {`}
${
      unroll(step, () =>
        `    ${step > 1 ? `if (row != ${NONE}) {` : ""}
    let source = (image * u.rows + row) * u.inner + column;
${
          isPacked(x)
            ? unroll(vectors / 2, (v) =>
              `    let words${v} = x_[source / 2u + ${v}u];
    sum${2 * v} += vec4<f32>(unpack2x16float(words${v}.x), unpack2x16float(words${v}.y));
    sum${2 * v + 1} += vec4<f32>(unpack2x16float(words${v}.z), unpack2x16float(words${v}.w));`)
            : unroll(vectors, (v) => `    sum${v} += ${load("x_", `source + ${v}u`, x.dtype, width)};`)
        }
    row = nexts[plane * u.rows + row];${step > 1 ? " }" : ""}`)
    }
  }
${
      isPacked(y)
        ? unroll(
          vectors / 2,
          (v) => `  y_[to / 2u + ${v}u] = vec4<u32>(packF16(sum${2 * v}), packF16(sum${2 * v + 1}));`,
        )
        : unroll(vectors, (v) => `  ${store("y_", `to + ${v}u`, `sum${v}`, y, width)}`)
    }
  ${pass === null ? "" : "rest[i] = row;"}`,
  });
}
