/**
 * Labels of difficult device clocks.
 *
 * @module
 */
import { lengthOf } from "./pass_times.ts";
import type { DeviceRecording } from "./recording.ts";

/**
 * Difficulties of a device's clock.
 *
 * - `coarse`: it ticks rarely, so that passes are no longer than a step
 * - `merged`: passes begin and end in the same tick
 * - `overlapping`: passes begin before the one before has ended, so the sum of their times exceeds the union
 * - `reset`: it wrapped around or was reset; passes across are refused
 * - `still`: it stands still; these passes are refused
 * - `negative`: passes end before they begin; refused
 * - `disagrees`: passes lie outside the host's times of their submit; refused
 * - `missing`: the device wrote no timestamps; refused
 */
export type ClockIssueKind =
  | "coarse"
  | "merged"
  | "overlapping"
  | "reset"
  | "still"
  | "negative"
  | "disagrees"
  | "missing";

/** A difficulty of a device's clock. */
export interface ClockIssue {
  readonly kind: ClockIssueKind;
  /** Number of timed passes concerned. */
  readonly passes: number;
  /** True if these passes count nowhere; false if their times are used with care. */
  readonly refused: boolean;
}

/** Quality of a device's timestamps. */
export interface ClockQuality {
  /** Difficulties; empty for a good clock. */
  readonly issues: readonly ClockIssue[];
  /** False if more than half of the timed passes are refused. Then there are no times at all. */
  readonly usable: boolean;
  /** Number of times that the clock wrapped around or was reset. */
  readonly resets: number;
}

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
