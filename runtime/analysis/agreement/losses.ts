import type { Loss } from "../../result/schema.ts";

/** Agreement of the losses of two runs of a variant. */
export interface LossAgreement {
  /** Number of steps with losses in both runs. */
  readonly steps: number;
  /** First step whose losses differ; null if none do. */
  readonly first: { readonly step: number; readonly then: Loss; readonly now: Loss } | null;
}

/** Compares losses step by step, bit by bit. Skips steps without a loss in both runs. */
export function compareLosses(
  then: readonly (Loss | null)[],
  now: readonly (Loss | null)[],
  most = Infinity,
): LossAgreement {
  let steps = 0;
  let first: LossAgreement["first"] = null;
  for (let step = 0; step < Math.min(then.length, now.length, most); step++) {
    const [a, b] = [then[step]!, now[step]!];
    if (a === null || b === null) continue;
    steps++;
    if (first === null && !Object.is(a, b)) first = { step, then: a, now: b };
  }
  return { steps, first };
}
