import type { Loss } from "../../result/schema.ts";

/** How the losses of two runs of one variant go together. */
export interface LossAgreement {
  /** Steps whose losses both runs have. */
  readonly steps: number;
  /** The first step at which they differ; null where none does. */
  readonly first: { readonly step: number; readonly then: Loss; readonly now: Loss } | null;
}

/** Compares losses step by step, to the last bit. A step that one of the runs has no loss of is left out. */
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
