/**
 * Labels of difficult device clocks.
 *
 * @module
 */
import type { ClockIssue, ClockIssueKind, ClockQuality } from "../../result/attach_result.ts";
import { lengthOf } from "./pass_times.ts";
import type { DeviceRecording } from "./recording.ts";

/** Step from which a clock is coarse, in ns. */
const COARSE = 1000;

/** Defects whose passes are refused, by issue. */
const REFUSED = {
  reset: ["reset"],
  still: ["still"],
  negative: ["negative"],
  disagrees: ["outside", "stale"],
  missing: ["missing"],
} as const satisfies Partial<Record<ClockIssueKind, readonly string[]>>;

/** Labels the clock of a device, whose timed passes have been checked. */
export function clockQuality({ passes, unusable, defects, resolution, state }: DeviceRecording): ClockQuality {
  const issues: ClockIssue[] = [];
  const resets = state?.clockResets ?? 0;
  const label = (kind: ClockIssueKind, count: number, refused: boolean, occurred = count > 0) => {
    if (occurred) issues.push({ kind, passes: count, refused });
  };
  const step = resolution === null ? 0 : resolution / 1e6;
  const short = passes.filter((pass) => lengthOf(pass) < 1.5 * step).length;
  label("coarse", short, false, resolution !== null && resolution > COARSE);
  label("merged", passes.filter((pass) => lengthOf(pass) === 0).length, false);
  label("overlapping", defects["overlapping"] ?? 0, false);
  for (const [kind, names] of Object.entries(REFUSED) as [keyof typeof REFUSED, readonly string[]][]) {
    const count = names.reduce((sum, name) => sum + (defects[name] ?? 0), 0);
    label(kind, count, true, count > 0 || (kind === "reset" && resets > 0));
  }
  return { issues, usable: unusable <= passes.length, resets };
}
