/**
 * Cross-entropy of rows of logits and class indices: first per row, then the weighted mean. A row is computed by one lane
 * on software adapters and by one workgroup on GPUs. For small problems one workgroup computes everything, since a second
 * dispatch would cost more.
 *
 * @module
 */
import {
  defineKernel,
  type KernelOptions,
  type KernelPlan,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { type FloatBuffer, load } from "./access.ts";
import { type ClassTargets, classWeight, rowLoss, targetsName, targetUniforms } from "./class_targets.ts";
import { PRECISE_EXP, PRECISE_LOG } from "./logarithm.ts";
import { leastLanes, stepLoop, stepOfRow } from "./loop_limit.ts";
import { serialSum, sumLanes } from "./sum.ts";
import { declare } from "./tensors.ts";
import { powerOfTwoBelow, type Team, TEAM_SIZE, teamFold, teamSum } from "./team.ts";

const WORKGROUP = 64;

/** Functions that a row's loss needs: it is small differences of large sums. */
const PRECISE = `${PRECISE_EXP}\n${PRECISE_LOG}`;

export interface CrossEntropyPlanOptions {
  /** `[n][classes]` */
  readonly x: FloatBuffer;
  readonly n: number;
  readonly classes: number;
  readonly targets: ClassTargets;
  readonly traits: DeviceTraits;
}

/**
 * Returns the plan. Input 1 holds the class indices. Outputs: the mean; for each row the largest logit and the
 * logarithm of the sum of exponentials; the sum of the weights of all rows.
 */
export function crossEntropyPlan({ x, n, classes, targets, traits }: CrossEntropyPlanOptions): KernelPlan {
  const name = `cross_entropy.${x.dtype}${targetsName(targets)}`;
  const buffers = {
    x: declare(x, 1),
    targets: { ref: { input: 1 }, type: "i32" },
    saved: { ref: { output: 1 }, type: "f32" },
  } as const;
  const results = {
    mean: { ref: { output: 0 }, type: "f32" },
    counted_: { ref: { output: 2 }, type: "f32" },
  } as const;
  const uniforms = (lanes: number) => ({ n, classes, lanes, ...targetUniforms(targets, classes) });
  if (isSmall(n, classes, traits)) {
    const kernel = defineKernel({
      name: `${name}.small`,
      buffers: { ...buffers, ...results },
      uniforms: uniforms(TEAM_SIZE),
      workgroupSize: [TEAM_SIZE],
      grid: [1],
      prelude: `${PRECISE}\n${teamSum({ columns: 1, members: TEAM_SIZE }, "vec2<f32>")}`,
      body: `  let lane = lix;
  ${lossOfALane(x, targets, 1)}
  ${TEAM_MEAN}`,
    });
    return { name: kernel.name, kernels: [kernel], workspace: [] };
  }
  const step = stepOfRow(classes, 2, traits);
  const lanes = Math.max(sumLanes(n, traits), leastLanes(n, 2 * (1 + Math.ceil(classes / step)), traits));
  const team = traits.class === "cpu" ? null : teamOfRow(classes);
  const size = team?.members ?? WORKGROUP;
  const rows = defineKernel({
    name: step === 1 ? name : `${name}.x${step}`,
    buffers: { ...buffers, parts: { ref: { workspace: 0 }, type: "vec2<f32>" } },
    uniforms: uniforms(lanes),
    workgroupSize: [size],
    grid: linearGrid(lanes * (team?.members ?? 1), size, traits.maxWorkgroupsPerDimension),
    ...(team === null ? { prelude: PRECISE, body: rowsOfALane(x, targets, step) } : rowsOfATeam(x, targets, team)),
  });
  const last = finalMean(
    { parts: { ref: { workspace: 0 }, type: "vec2<f32>", access: "read" }, ...results },
    lanes,
    traits,
  );
  return { name, kernels: [rows, last], workspace: [lanes * 8] };
}

/**
 * Returns the kernel of the last stage: adds the parts in order and divides. It is one invocation on software adapters,
 * where a barrier costs more than the additions, and a workgroup with a tree on GPUs. A single invocation sums the
 * differences from the first part's mean, which are smaller and lose less to rounding.
 */
function finalMean(buffers: KernelOptions["buffers"], lanes: number, { class: kind }: DeviceTraits): KernelSpec {
  const serial = kind === "cpu";
  const members = serial ? 1 : TEAM_SIZE;
  return defineKernel({
    name: `cross_entropy.mean.${serial ? "serial" : "tree"}`,
    buffers,
    uniforms: { lanes },
    workgroupSize: [members],
    grid: [1],
    prelude: serial ? "" : teamSum({ columns: 1, members }, "vec2<f32>"),
    body: serial
      ? `  let first = parts[0].x / select(1.0, parts[0].y, parts[0].y > 0.0);
  let typical = select(0.0, first, abs(first) < 1e30);
  var sums = vec2<f32>();
  ${serialSum("sums", "vec2<f32>", "parts[j] - vec2<f32>(typical * parts[j].y, 0.0)")}
  mean[0] = typical + sums.x / sums.y;
  counted_[0] = sums.y;`
      : `  var sums = vec2<f32>();
  for (var i = lix; i < u.lanes; i += ${members}u) { sums += parts[i]; }
  ${TEAM_MEAN}`,
  });
}

/**
 * WGSL that writes the mean and the sum of the weights of a team's sums. The differences from the mean, which are smaller
 * and lose less to rounding, are summed for a second time.
 */
const TEAM_MEAN = `let totals = teamSum(sums, lix);
  let mean_ = totals.x / totals.y;
  let rest = teamSum(vec2<f32>(sums.x - mean_ * sums.y, 0.0), lix).x / totals.y;
  if (lix == 0u) {
    mean[0] = mean_ + select(0.0, rest, abs(rest) < abs(mean_));
    counted_[0] = totals.y;
  }`;

/** Returns WGSL in which each lane computes whole rows. */
function rowsOfALane(x: FloatBuffer, targets: ClassTargets, step: number): string {
  return `  let lane = ${LINEAR_INDEX(WORKGROUP)};
  if (lane >= u.lanes) { return; }
  ${lossOfALane(x, targets, step)}
  parts[lane] = sums;`;
}

/** Returns true if one workgroup of a GPU is faster than two dispatches. */
function isSmall(n: number, classes: number, traits: DeviceTraits): boolean {
  return traits.class !== "cpu" && n <= TEAM_SIZE && classes <= 32;
}

/**
 * Returns WGSL for the sums of the losses and of the weights of a lane's rows.
 *
 * @param step classes per iteration
 */
function lossOfALane({ dtype }: FloatBuffer, targets: ClassTargets, step: number): string {
  const at = (index: string) => load("x", index, dtype, 1);
  const classes = { first: "0u", by: "1u", end: "u.classes", step };
  const class_ = step === 1 ? "k" : "min(k, u.classes - 1u)";
  return `var sums = vec2<f32>();
  for (var row = lane; row < u.n; row += u.lanes) {
    let first = row * u.classes;
    var largest = ${at("first")};
    ${stepLoop(classes, () => `largest = max(largest, ${at(`first + ${class_}`)});`)}
    var powers = 0.0;
    var others = 0.0;
    ${
    stepLoop(classes, (_, kept) =>
      `let z = ${at(`first + ${class_}`)} - largest;
      powers += ${kept("preciseExp(z)", "0.0")};
      others += ${kept(`${classWeight(targets, class_)} * z`, "0.0")};`)
  }
    let logarithm = preciseLog(powers);
    ${rowLoss(targets, "targets[row]", (index) => `${at(`first + ${index}`)} - largest`)}
    sums += vec2<f32>(value, counted);
    saved[row] = largest;
    saved[u.n + row] = logarithm;
  }`;
}

/** Returns the workgroup that computes a row on GPUs: at least a whole subgroup, with up to four classes per invocation. */
function teamOfRow(classes: number): Team {
  return { columns: 1, members: Math.max(WORKGROUP, powerOfTwoBelow(Math.min(TEAM_SIZE, Math.max(1, classes / 4)))) };
}

/** Returns WGSL in which each workgroup computes whole rows and its members take the classes in turns. */
function rowsOfATeam(
  { dtype }: FloatBuffer,
  targets: ClassTargets,
  team: Team,
): Pick<KernelOptions, "prelude" | "body"> {
  const at = (index: string) => load("x", index, dtype, 1);
  const eachClass = `for (var k = lix; k < u.classes; k += ${team.members}u)`;
  return {
    prelude: `${PRECISE}
${teamFold("teamMax", team, "f32", (a, b) => `max(${a}, ${b})`)}
${teamSum(team, "vec2<f32>")}`,
    body: `  let lane = wid.y * grid.x + wid.x;
  if (lane >= u.lanes) { return; }
  var sums = vec2<f32>();
  for (var row = lane; row < u.n; row += u.lanes) {
    let first = row * u.classes;
    var own = ${at("first")};
    ${eachClass} { own = max(own, ${at("first + k")}); }
    let largest = teamMax(own, lix);
    // of the powers and of the differences
    var parts_ = vec2<f32>();
    ${eachClass} {
      let z = ${at("first + k")} - largest;
      parts_ += vec2<f32>(preciseExp(z), ${classWeight(targets, "k")} * z);
    }
    parts_ = teamSum(parts_, lix);
    let logarithm = preciseLog(parts_.x);
    let others = parts_.y;
    ${rowLoss(targets, "targets[row]", (index) => `${at(`first + ${index}`)} - largest`)}
    sums += vec2<f32>(value, counted);
    if (lix == 0u) {
      saved[row] = largest;
      saved[u.n + row] = logarithm;
    }
  }
  if (lix == 0u) { parts[lane] = sums; }`,
  };
}
