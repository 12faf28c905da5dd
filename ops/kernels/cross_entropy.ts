/**
 * Cross-entropy of rows of logits and class indices: first per row, then the mean. A row is computed by one lane on
 * software adapters and by one workgroup on GPUs. For small problems one workgroup computes everything, since a second
 * dispatch would cost more.
 *
 * @module
 */
import {
  defineKernel,
  type KernelOptions,
  type KernelPlan,
  LINEAR_INDEX,
  linearGrid,
  type UniformValue,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { load } from "./access.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { finalSum, sumLanes } from "./sum.ts";
import { declare } from "./tensors.ts";
import { powerOfTwoBelow, type Team, TEAM_SIZE, teamFold, teamSum } from "./team.ts";

const WORKGROUP = 64;

export interface CrossEntropyPlanOptions {
  /** `[n][classes]` */
  readonly x: FloatBuffer;
  readonly n: number;
  readonly classes: number;
  /** Target probabilities: `onAll` for every class, plus `onTarget` for the target. */
  readonly q: { readonly onTarget: UniformValue; readonly onAll: UniformValue };
  readonly traits: DeviceTraits;
}

/**
 * Returns the plan. Input 1 holds the class indices. Outputs: the mean; for each row the largest logit and the
 * logarithm of the sum of exponentials.
 */
export function crossEntropyPlan({ x, n, classes, q, traits }: CrossEntropyPlanOptions): KernelPlan {
  const scale = 1 / n;
  const buffers = {
    x: declare(x, 1),
    targets: { ref: { input: 1 }, type: "i32" },
    saved: { ref: { output: 1 }, type: "f32" },
  } as const;
  if (isSmall(n, classes, traits)) {
    const kernel = defineKernel({
      name: `cross_entropy.${x.dtype}.small`,
      buffers: { ...buffers, total: { ref: { output: 0 }, type: "f32" } },
      uniforms: { n, classes, lanes: TEAM_SIZE, ...q, scale: { f32: scale } },
      workgroupSize: [TEAM_SIZE],
      grid: [1],
      ...rowsOfAWorkgroup(x),
    });
    return { name: kernel.name, kernels: [kernel], workspace: [] };
  }
  const lanes = sumLanes(n, traits);
  const team = traits.class === "cpu" ? null : teamOfRow(classes);
  const size = team?.members ?? WORKGROUP;
  const rows = defineKernel({
    name: `cross_entropy.${x.dtype}`,
    buffers: { ...buffers, parts: { ref: { workspace: 0 }, type: "f32" } },
    uniforms: { n, classes, lanes, ...q },
    workgroupSize: [size],
    grid: linearGrid(lanes * (team?.members ?? 1), size, traits.maxWorkgroupsPerDimension),
    ...(team === null ? { body: rowsOfALane(x) } : rowsOfATeam(x, team)),
  });
  const mean = finalSum({ parts: { workspace: 0 }, sum: { output: 0 }, lanes, scale, traits });
  return { name: rows.name, kernels: [rows, mean], workspace: [lanes * 4] };
}

/** Returns WGSL in which each lane computes whole rows. */
function rowsOfALane(x: FloatBuffer): string {
  return `  let lane = ${LINEAR_INDEX(WORKGROUP)};
  if (lane >= u.lanes) { return; }
  ${lossOfALane(x)}
  parts[lane] = loss;`;
}

/** Returns true if one workgroup of a GPU is faster than two dispatches. */
function isSmall(n: number, classes: number, traits: DeviceTraits): boolean {
  return traits.class !== "cpu" && n <= TEAM_SIZE && classes <= 32;
}

function rowsOfAWorkgroup(x: FloatBuffer): Pick<KernelOptions, "prelude" | "body"> {
  return {
    prelude: teamSum({ columns: 1, members: TEAM_SIZE }, "f32"),
    body: `  let lane = lix;
  ${lossOfALane(x)}
  loss = teamSum(loss, lix);
  if (lix == 0u) { total[0] = loss * u.scale; }`,
  };
}

/** Returns WGSL for the sum of the losses of a lane's rows. */
function lossOfALane({ dtype }: FloatBuffer): string {
  const at = (index: string) => load("x", index, dtype, 1);
  return `var loss = 0.0;
  for (var row = lane; row < u.n; row += u.lanes) {
    let first = row * u.classes;
    var largest = ${at("first")};
    for (var k = 1u; k < u.classes; k++) { largest = max(largest, ${at("first + k")}); }
    var powers = 0.0;
    var others = 0.0;
    for (var k = 0u; k < u.classes; k++) {
      let z = ${at("first + k")} - largest;
      powers += exp(z);
      others += z;
    }
    let logarithm = log(powers);
    let hit = u32(clamp(targets[row], 0, i32(u.classes) - 1));
    loss += logarithm - u.onTarget * (${at("first + hit")} - largest) - u.onAll * others;
    saved[row] = largest;
    saved[u.n + row] = logarithm;
  }`;
}

/** Returns the workgroup that computes a row on GPUs: at least a subgroup, with about four classes per invocation. */
function teamOfRow(classes: number): Team {
  return { columns: 1, members: Math.max(32, powerOfTwoBelow(Math.min(TEAM_SIZE, Math.max(1, classes / 4)))) };
}

/** Returns WGSL in which each workgroup computes whole rows and its members take the classes in turns. */
function rowsOfATeam({ dtype }: FloatBuffer, team: Team): Pick<KernelOptions, "prelude" | "body"> {
  const at = (index: string) => load("x", index, dtype, 1);
  const eachClass = `for (var k = lix; k < u.classes; k += ${team.members}u)`;
  return {
    prelude: `${teamFold("teamMax", team, "f32", (a, b) => `max(${a}, ${b})`)}
${teamSum(team, "vec2<f32>")}`,
    body: `  let lane = wid.y * grid.x + wid.x;
  if (lane >= u.lanes) { return; }
  var loss = 0.0;
  for (var row = lane; row < u.n; row += u.lanes) {
    let first = row * u.classes;
    var own = ${at("first")};
    ${eachClass} { own = max(own, ${at("first + k")}); }
    let largest = teamMax(own, lix);
    // of the powers and of the differences
    var sums = vec2<f32>();
    ${eachClass} {
      let z = ${at("first + k")} - largest;
      sums += vec2<f32>(exp(z), z);
    }
    sums = teamSum(sums, lix);
    let logarithm = log(sums.x);
    let hit = u32(clamp(targets[row], 0, i32(u.classes) - 1));
    loss += logarithm - u.onTarget * (${at("first + hit")} - largest) - u.onAll * sums.y;
    if (lix == 0u) {
      saved[row] = largest;
      saved[u.n + row] = logarithm;
    }
  }
  if (lix == 0u) { parts[lane] = loss; }`,
  };
}
