/** Method that finds the steps of a program. */
export type Steps =
  | { readonly by: "auto" }
  | { readonly by: "wait" }
  | { readonly by: "submit"; readonly count: number }
  | { readonly by: "mark" }
  | { readonly by: "step" };

/** Settings of a recorder. */
export interface RecorderSettings {
  readonly steps: Steps;
  /** Records the program's lines that create buffers and pipelines and dispatch kernels. */
  readonly stack: boolean;
  /** Largest accepted slowdown by timing, as a fraction. */
  readonly budget: number;
  /** Times dispatches where the device can; otherwise only counts. */
  readonly timing: boolean;
}

/** Matches the names of performance marks and measures that mark steps: `step`, `step 12`, `step-end`, `step:train`. */
export function isStepName(name: string): boolean {
  return /^step(?![a-z])/i.test(name);
}

/**
 * Reads a value of `--steps`; null if it is none.
 *
 * @param text `auto`, `wait`, `mark` or `submit:N`
 */
export function parseSteps(text: string): Steps | null {
  if (text === "auto" || text === "wait" || text === "mark") return { by: text };
  const count = Number(/^submit:(\d+)$/.exec(text)?.[1]);
  return Number.isSafeInteger(count) && count > 0 ? { by: "submit", count } : null;
}
