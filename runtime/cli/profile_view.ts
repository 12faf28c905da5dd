import type { Grouping } from "../analysis/op_groups.ts";
import type { SortColumn } from "../analysis/op_order.ts";
import { InputError } from "../core/errors.ts";
import { DEFAULT_PROFILE, type ProfileRequest } from "../record/schedule.ts";
import type { Dialect } from "../report/dialects/names.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { Flags } from "./flags.ts";

/** The flags that say what to print of a result. */
export type ViewFlags = Pick<
  Flags,
  "verbosity" | "log" | "groupBy" | "sort" | "top" | "profileSteps" | "raw" | "advice" | "pipeline" | "color"
>;

/** What is to be printed below the matrix. */
export interface ProfileView {
  readonly verbosity: 0 | 1 | 2;
  /** In place of Tacho's own tables. */
  readonly dialect: Dialect | null;
  readonly groupBy: readonly Grouping[];
  readonly sort: SortColumn;
  /** Null for all. */
  readonly top: number | null;
}

/**
 * What the flags ask to see. Flags that shape the op tables, or say which steps are behind them, ask for these.
 *
 * @throws {InputError} if a flag shapes a table that another one leaves out
 */
export function profileView(
  { verbosity, log, groupBy, sort, top, profileSteps }: Omit<ViewFlags, "raw" | "advice" | "pipeline" | "color">,
): ProfileView {
  const shaping = groupBy !== undefined
    ? "--group-by"
    : sort !== undefined
    ? "--sort"
    : top === undefined
    ? null
    : "--top";
  if (shaping !== null && log !== undefined) {
    throw new InputError(`${shaping}: shapes Tacho's own tables, which --log replaces; leave out one of them`);
  }
  if (shaping !== null && verbosity !== undefined && verbosity < 2) {
    throw new InputError(`${shaping}: shapes the tables of --verbosity 2, got --verbosity ${verbosity}`);
  }
  if (log !== undefined && verbosity === 0) {
    throw new InputError("--log: prints a profile, which --verbosity 0 leaves out; leave out one of them");
  }
  const asked = shaping !== null || log !== undefined || profileSteps !== undefined;
  return {
    verbosity: verbosity ?? (asked ? 2 : 0),
    dialect: log ?? null,
    groupBy: groupBy ?? ["type"],
    sort: sort ?? "order",
    top: top ?? null,
  };
}

/** The steps to profile: those of the flag, else the scenario's, else a few where something needs them. */
export function profileRequest(
  flags: Flags,
  { profile, bottleneck }: Pick<ResolvedScenario, "profile" | "bottleneck">,
): ProfileRequest | null {
  const shown = profileView(flags).verbosity > 0 || flags.log !== undefined || flags.report !== undefined;
  const needed = shown || bottleneck; // which tells arithmetic from memory by the ops
  return flags.profileSteps ?? profile ?? (needed ? DEFAULT_PROFILE : null);
}
