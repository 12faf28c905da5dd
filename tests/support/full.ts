/**
 * The two sets of tests: `deno task test` runs the fast one, `deno task test:full` everything.
 *
 * A file named `*_full_test.ts` belongs to the full set only. Within other files, {@linkcode sampled} takes a part of many
 * equal cases for the fast set.
 *
 * @module
 */
import { RandomStream } from "../../runtime/core/random.ts";

/** The full set of tests runs: the environment variable `TACHO_TESTS` is `full`. */
export const full = Deno.env.get("TACHO_TESTS") === "full";

/** Ending of test files that belong to the full set only. */
export const FULL_TEST = "_full_test.ts";

/** Defines a test that only the full set runs. The fast set has cases that go through the same code. */
export function fullTest(
  name: string,
  fn: () => void | Promise<void>,
  options: Partial<Deno.TestDefinition> = {},
): void {
  if (full) Deno.test({ ...options, name, fn });
}

/**
 * Returns `count` of the cases, or all of them in the full set. The sample is the same in every run. It has the first and
 * the last case, and one case of each of `count - 2` equal parts between them.
 *
 * @param count at least 2
 * @param seed for a sample of other cases
 */
export function sampled<T>(
  cases: readonly T[],
  count: number,
  { seed = 0, all = full }: { readonly seed?: number; readonly all?: boolean } = {},
): readonly T[] {
  if (count < 2) throw new RangeError(`A sample has at least 2 cases, got ${count}`);
  if (all || cases.length <= count) return cases;
  const random = new RandomStream(seed);
  const parts = count - 2;
  const inner = cases.length - 2;
  const start = (part: number) => 1 + Math.floor(part * inner / parts);
  const between = Array.from({ length: parts }, (_, part) => {
    return cases[start(part) + random.below(start(part + 1) - start(part))]!;
  });
  return [cases[0]!, ...between, cases.at(-1)!];
}
