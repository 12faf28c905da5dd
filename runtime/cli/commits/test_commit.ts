import { kernelDifferences } from "../../analysis/exact_counts.ts";
import { InputError, InterruptedError, TachoError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { formatInterval, formatRatio } from "../../report/format.ts";
import { type ExactCounts, exactSchema } from "../../result/exact.ts";
import type { VariantResult } from "../../result/schema.ts";
import type { Outcome } from "./bisection.ts";
import { AFTER, BEFORE, compareVersions, pairOf, planVersion, type VersionComparison } from "./compare_versions.ts";
import { type Version, versionText } from "./version.ts";
import type { PlannedVariant } from "./plan_script.ts";

/** Rounds of the first measurement of a commit, where the user names none. */
const ROUNDS = 16;

/** Measurements of a commit, each with twice the rounds, until its verdict is clear. */
const ATTEMPTS = 3;

/** Count that commits are tested by, instead of speed. */
export const COUNTS = Object.keys(exactSchema.shape) as readonly Count[];

export type Count = keyof ExactCounts;

/** The part of a plan or a profile that is counted. */
type Counted = Pick<PlannedVariant, "exact">;

/** Outcome of a test, and the reason in a sentence. */
export interface Tested {
  readonly outcome: Outcome;
  readonly why: string;
}

/** Settings that the tests of all commits share. */
export interface CommitTest extends Omit<VersionComparison, "after" | "before"> {
  readonly good: Version;
  /** Plans the good commit once, for the tests of all others; null for a program. */
  readonly planOfGood: () => Promise<PlannedVariant | null>;
  /** Count that is compared; null for speed. */
  readonly count: Count | null;
  readonly signal: AbortSignal;
}

/**
 * Compares a commit with the good one. Speed counts by verdicts alone: where one is unclear, more rounds are measured. A
 * commit that fails is skipped.
 *
 * @throws {InterruptedError} at Ctrl-C
 */
export async function testCommit(
  { good, planOfGood, count, signal, ...common }: CommitTest,
  commit: Version,
): Promise<Tested> {
  const comparison = { ...common, before: good, after: commit };
  try {
    const plans = pairOf(await planOfGood(), await planVersion(common, commit));
    if (signal.aborted) throw new InterruptedError();
    if (count !== null) {
      const [then, now] = plans === null ? await profiledCounts(comparison, signal) : [plans.before, plans.after];
      return compareCounts(count, then, now);
    }
    let rounds = common.measure.rounds ?? ROUNDS;
    for (let attempt = 1;; attempt++, rounds *= 2) {
      const measure = { ...common.measure, rounds };
      const view = { signal, dataOnStdout: false };
      const { result, interrupted } = await compareVersions({ ...comparison, measure }, plans, view);
      if (interrupted || result === null) throw new InterruptedError();
      const variant = result.variants.find(({ name }) => name === AFTER)!;
      const tested = judge(variant, rounds);
      if (tested !== null) return tested;
      if (attempt === ATTEMPTS) return { outcome: "skip", why: `no verdict after ${rounds} rounds` };
    }
  } catch (error) {
    if (isInstance(error, InterruptedError) || !isInstance(error, TachoError)) throw error;
    return { outcome: "skip", why: `${versionText(commit)} cannot be tested: ${error.message.split("\n")[0]}` };
  }
}

/** Runs programs as briefly as possible, and returns the counts of their profiles. */
async function profiledCounts(comparison: VersionComparison, signal: AbortSignal): Promise<[Counted, Counted]> {
  const measure = { steps: 2, skip: 1, ...comparison.measure, rounds: 1, aa: false };
  const brief = { ...comparison, measure, profile: true, store: false };
  const { result, interrupted } = await compareVersions(brief, null, { signal, dataOnStdout: false });
  if (interrupted || result === null) throw new InterruptedError();
  const countsOf = (name: string): Counted => {
    const { error, exact = null } = result.variants.find((variant) => variant.name === name)!;
    if (error !== null) throw new InputError(error.message);
    return { exact };
  };
  return [countsOf(BEFORE), countsOf(AFTER)];
}

/** Judges by the verdict; null if it is unclear. */
function judge({ verdict, comparison, error, metrics }: VariantResult, rounds: number): Tested | null {
  if (error !== null) return { outcome: "skip", why: `it fails: ${error.message.split("\n")[0]}` };
  if (verdict === null || verdict === "unclear" || comparison === null) return null;
  if (verdict === "invalid") return { outcome: "skip", why: comparison.reason };
  const { speedup } = metrics;
  const ratio = speedup === null
    ? ""
    : ` (${formatRatio(speedup.value)}${
      speedup.low === null || speedup.high === null ? "" : `, ${formatInterval(speedup.low, speedup.high)}`
    }, ${rounds} rounds)`;
  return { outcome: verdict === "slower" ? "bad" : "good", why: `${verdict}${ratio}` };
}

/** Compares an exact count. */
function compareCounts(count: Count, good: Counted, commit: Counted): Tested {
  const missing: Tested = { outcome: "skip", why: `${count} is unknown` };
  if (count === "kernels") {
    const [then, now] = [good.exact?.kernels ?? null, commit.exact?.kernels ?? null];
    if (then === null || now === null) return missing;
    const why = kernelDifferences(now, then);
    return why === "" ? { outcome: "good", why: "the same kernels" } : { outcome: "bad", why };
  }
  const value = ({ exact }: Counted) => exact?.[count] ?? null;
  const [then, now] = [value(good), value(commit)];
  if (then === null || now === null) return missing;
  const more = now > then;
  return { outcome: more ? "bad" : "good", why: `${count} ${now}${now === then ? "" : ` instead of ${then}`}` };
}
