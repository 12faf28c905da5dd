import type { AttachedDevice, AttachResult } from "../../analysis/attach/result.ts";
import { MAIN_REALM } from "../../attach/records.ts";
import { formatCount, formatCounted, formatNumber } from "../format.ts";
import type { ClockIssue, ClockIssueKind } from "../../analysis/attach/clock.ts";

/** Says which device it is, how its steps were found, and what limits its times. */
export function deviceSentences(device: AttachedDevice): string[] {
  const { steps, steadySteps, timedSteps, clock, timestamps, lost } = device;
  if (device.totals.submits === 0) return ["nothing was submitted"];
  const warmUp = steps.steps.length - steadySteps;
  const found = steps.by === "none"
    ? `no steps: ${steps.how}`
    : `${formatCounted(steps.steps.length, "step")}: ${steps.how}`;
  return [
    steps.by === "none"
      ? found
      : `${found}; ${warmUp === 0 ? "no warm-up steps" : formatCounted(warmUp, "warm-up step")}; ` +
        `${timedSteps} of the ${warmUp === 0 ? "" : "other "}${steadySteps} timed`,
    ...timestamps === "none" ? ["no times of kernels: the device has no timestamp queries"] : [],
    ...lost === null || lost.reason === "destroyed"
      ? []
      : [`the device was lost (${lost.reason}): ${lost.message || "no message"}`],
    ...clockSentences(clock),
  ];
}

function clockSentences(clock: AttachedDevice["clock"]): string[] {
  const { unslotted, selfTimed } = clock;
  const difficult = clockSentence(clock);
  return [
    ...difficult === null ? [] : [difficult],
    ...unslotted > 0 ? [`${formatCount(unslotted)} dispatches were not timed: all query sets were in use`] : [],
    ...selfTimed > 0
      ? [
        `${formatCount(selfTimed)} render ${
          selfTimed === 1 ? "pass" : "passes"
        } with the program's own timestamps, not ` +
        "timed here",
      ]
      : [],
  ];
}

/** Names a device in a heading. */
export function deviceName({ adapter, label, realm }: AttachedDevice): string {
  const where = realm === MAIN_REALM ? "" : ` in worker ${realm.split("/").at(-1)}`;
  return `${label === "" ? "" : `${label}, `}${adapter || "unknown adapter"}${where}`;
}

/** Says what the result as a whole lacks. */
export function resultSentences({ devices, complete, notes }: AttachResult): string[] {
  return [
    ...devices.length === 0 ? ["the program requested no WebGPU device"] : [],
    ...complete || devices.length === 0 ? [] : ["the program ended without notice: what it did last may be missing"],
    ...notes,
  ];
}

/** Descriptions of passes with an issue. */
const PASSES: Readonly<Record<ClockIssueKind, string>> = {
  coarse: "no longer than that",
  merged: "within one tick",
  overlapping: "overlapping the one before, so times add up to more than the union",
  reset: "across a reset",
  still: "while it stood still",
  negative: "ending before their begin",
  disagrees: "outside the host's times of their submit",
  missing: "without timestamps",
};

/** Says in one line what is difficult about a device's clock; null if nothing is. */
export function clockSentence({ issues, usable, resets, resolution }: AttachedDevice["clock"]): string | null {
  if (issues.length === 0) return null;
  const refused = issues.filter((issue) => issue.refused && issue.passes > 0);
  const parts = [
    ...issues.some(({ kind }) => kind === "coarse") && resolution !== null
      ? [`ticks every ${formatNumber(resolution / 1000)} us`]
      : [],
    ...resets > 0 ? [`wrapped around or was reset ${resets === 1 ? "once" : `${resets} times`}`] : [],
    ...issues.filter((issue) => !issue.refused && issue.passes > 0).map(described),
    ...refused.length > 0 ? [`not counted: ${refused.map(described).join(", ")}`] : [],
    ...usable ? [] : ["no times, since most passes do not count"],
  ];
  return `the device's clock: ${parts.join("; ")}`;
}

function described({ kind, passes }: ClockIssue): string {
  return `${formatCount(passes)} ${passes === 1 ? "pass" : "passes"} ${PASSES[kind]}`;
}
