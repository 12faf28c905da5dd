import type { Grouping } from "../analysis/op_groups.ts";
import type { SortColumn } from "../analysis/op_order.ts";
import { InputError } from "../core/errors.ts";
import { profileOf, type ProfileRequest } from "../record/schedule.ts";
import type { Dialect } from "../report/dialects/names.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { Flags } from "./flags.ts";

/** Flags that select what to print of a result. */
export type ViewFlags = Pick<
  Flags,
  | "verbosity"
  | "log"
  | "groupBy"
  | "sort"
  | "top"
  | "profileSteps"
  | "raw"
  | "advice"
  | "explain"
  | "pipeline"
  | "diff"
  | "diffBy"
  | "color"
>;

/** Selection of what to print below the matrix. */
export interface ProfileView {
  readonly verbosity: 0 | 1 | 2 | 3;
  /** Format that replaces Tacho's own tables. */
  readonly dialect: Dialect | null;
  readonly groupBy: readonly Grouping[];
  readonly sort: SortColumn;
  /** Maximum number of ops; null for all. */
  readonly top: number | null;
  /** Prints the largest ops, one line each, and leaves out what is not about ops. */
  readonly brief: boolean;
}

/** Number of ops to print unless flags select them. */
const LARGEST = 10;

/**
 * Returns what to print below the matrix. Flags that shape the op tables, or select their steps, imply these tables.
 *
 * @throws {InputError} if a flag shapes a table that another flag omits
 */
export function profileView(
  { verbosity, log, groupBy, sort, top, profileSteps }: Omit<
    ViewFlags,
    "raw" | "advice" | "explain" | "pipeline" | "diff" | "diffBy" | "color"
  >,
): ProfileView {
  const shaping = groupBy !== undefined
    ? "--group-by"
    : sort !== undefined
    ? "--sort"
    : top === undefined
    ? null
    : "--top";
  if (shaping !== null && log !== undefined) {
    throw new InputError(`${shaping}: shapes Tacho's own tables, which --log replaces; omit one of the two flags`);
  }
  if (shaping !== null && verbosity !== undefined && verbosity < 2) {
    throw new InputError(`${shaping}: shapes the tables of --verbosity 2, got --verbosity ${verbosity}`);
  }
  if (log !== undefined && verbosity === 0) {
    throw new InputError("--log: prints a profile, which --verbosity 0 omits; omit one of the two flags");
  }
  const brief = shaping === null && verbosity !== 3;
  const asked = shaping !== null || log !== undefined || profileSteps !== undefined;
  return {
    verbosity: verbosity ?? (asked ? 2 : 0),
    dialect: log ?? null,
    groupBy: groupBy ?? ["type"],
    sort: sort ?? (brief ? "total" : "order"),
    top: top ?? (brief ? LARGEST : null),
    brief,
  };
}

/** Returns the steps to profile: those of the flag, else the scenario's, else a few if the output needs them. */
export function profileRequest(
  flags: Flags,
  scenario: Pick<ResolvedScenario, "profile" | "bottleneck">,
): ProfileRequest | null {
  const { log, report, diff } = flags;
  const shown = profileView(flags).verbosity > 0 || [log, report, diff].some((flag) => flag !== undefined);
  return flags.profileSteps ?? profileOf(scenario, shown);
}
