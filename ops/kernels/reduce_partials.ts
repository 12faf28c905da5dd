/**
 * Second stage of a split reduction: `target[row][group][column] = sum over splits of
 * partial[split][row][group][column]`, plus an optional bias per column. The sums run in the order of the splits or, if
 * there are too few sums to occupy a GPU, in a tree of fixed order. Partial sums are f32 with columns padded to a
 * multiple of four; the target is not padded.
 *
 * @module
 */
import {
  type BufferRef,
  defineKernel,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, gather, load, store, vectorWidth } from "./access.ts";
import { powerOfTwoBelow, type Team, TEAM_SIZE, teamSum } from "./team.ts";
import { declare } from "./tensors.ts";

/** Number of invocations that occupies a GPU. */
const MANY = 1 << 18;

export interface ReducePartialsOptions {
  readonly partial: BufferRef;
  readonly target: FloatBuffer;
  /** `[columns]`; requires `groups` of 1. */
  readonly bias?: FloatBuffer | null;
  readonly splits: number;
  readonly rows: number;
  readonly groups: number;
  /** Columns per group. */
  readonly columns: number;
  readonly traits: DeviceTraits;
}

/** Returns the size of the partial sums, in bytes. */
export function partialBytes(shape: { splits: number; rows: number; groups: number; columns: number }): number {
  return shape.splits * shape.rows * shape.groups * Math.ceil(shape.columns / 4) * 16;
}

/** Returns the kernel. */
export function reducePartials(options: ReducePartialsOptions): KernelSpec {
  const { target, bias = null, splits, rows, groups, columns, traits } = options;
  const width = vectorWidth(columns);
  const vectors = Math.ceil(columns / 4);
  const count = rows * groups * vectors;
  const team = teamFor(count, splits, traits);
  // Small workgroups spread few sums over all cores; many sums need large workgroups
  const lanes = team !== null ? TEAM_SIZE : traits.class === "cpu" && count < 8192 ? 8 : 64;
  const at = (j: number) => `min(column + ${j}u, u.columns - 1u)`;
  const to = `((i / (u.vectors * u.groups)) * u.groups + (i / u.vectors) % u.groups) * u.columns + column`;
  return defineKernel({
    name: `reduce_partials.${target.dtype}${width === 4 ? "" : ".odd"}${bias === null ? "" : ".bias"}`,
    buffers: {
      partial: { ref: options.partial, type: "vec4<f32>", access: "read" },
      ...(bias === null ? {} : { bias: { ref: bias.ref, type: elementType(bias.dtype, 1), access: "read" } }),
      result: declare(target, width),
    },
    uniforms: { count, splits, vectors, groups, columns },
    workgroupSize: [lanes],
    grid: linearGrid(count * (team?.members ?? 1), lanes, traits.maxWorkgroupsPerDimension),
    ...(team === null ? {} : { prelude: teamSum(team, "vec4<f32>") }),
    body: `
${team === null ? `let i = ${LINEAR_INDEX(lanes)};` : sharesOfATeam(team)}
if (i >= u.count) { return; }
let column = (i % u.vectors) * 4u;
var sum = ${bias === null ? "vec4<f32>()" : gather("bias", [at(0), at(1), at(2), at(3)], bias.dtype)};
${
      team === null
        ? `for (var s = 0u; s < u.splits; s++) { sum += ${load("partial", "s * u.count + i", "f32", 4)}; }`
        : "sum += total;"
    }
${
      width === 4 ? store("result", "i", "sum", target, 4) : `let to = ${to};
for (var c = 0u; c < min(4u, u.columns - column); c++) { ${store("result", "to + c", "sum[c]", target, 1)} }`
    }`,
  });
}

/** Returns the team that shares each sum if there are too few sums to occupy a GPU; null for one invocation per sum. */
function teamFor(count: number, splits: number, traits: DeviceTraits): Team | null {
  const members = powerOfTwoBelow(Math.max(1, Math.min(16, splits / 2, MANY / count)));
  return traits.class === "cpu" || members === 1 ? null : { columns: TEAM_SIZE / members, members };
}

/** Returns WGSL for `total`, the sum of the partial sums at `i`. Only the first member gets an `i` within the range. */
function sharesOfATeam({ columns, members }: Team): string {
  return `let place = (wid.y * grid.x + wid.x) * ${columns}u + lix % ${columns}u;
let member = lix / ${columns}u;
var share = vec4<f32>();
for (var s = member; s < select(0u, u.splits, place < u.count); s += ${members}u) { share += partial[s * u.count + place]; }
let total = teamSum(share, lix);
let i = select(u.count, place, member == 0u);`;
}
