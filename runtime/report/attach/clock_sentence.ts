import type { ClockIssue, ClockIssueKind } from "../../analysis/attach/clock.ts";
import type { AttachedDevice } from "../../analysis/attach/result.ts";
import { formatCount, formatNumber } from "../format.ts";

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
