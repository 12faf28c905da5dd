/** Outcome of a test of one commit. `skip`: it cannot be tested, or no verdict was reached. */
export type Outcome = "good" | "bad" | "skip";

/** End of a bisection. */
export interface Found {
  /** Index of the first bad commit; with `suspects`, that of the first commit known to be bad. */
  readonly first: number;
  /** Indices of skipped commits before it, of which one may be the first bad one; ascending. */
  readonly suspects: readonly number[];
}

/**
 * Finds the first bad of consecutive commits, of which the last is bad. A skipped commit is replaced by the nearest one that
 * was not.
 *
 * @param count number of commits, oldest first
 * @param test called with the index of a commit
 */
export async function bisect(count: number, test: (index: number) => Promise<Outcome>): Promise<Found> {
  let [good, bad] = [-1, count - 1];
  const skipped = new Set<number>();
  for (;;) {
    const middle = (good + bad) / 2;
    const left = Array.from({ length: bad - good - 1 }, (_, i) => good + 1 + i).filter((index) => !skipped.has(index));
    const next = left.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
    if (next === undefined) break;
    const outcome = await test(next);
    if (outcome === "skip") skipped.add(next);
    else if (outcome === "good") good = next;
    else bad = next;
  }
  return { first: bad, suspects: [...skipped].filter((index) => index > good && index < bad).sort((a, b) => a - b) };
}

/** Returns the number of tests that are left at most, without skipped commits. */
export function testsLeft(count: number): number {
  return Math.ceil(Math.log2(Math.max(1, count)));
}
