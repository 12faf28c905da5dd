import type { RecordSink } from "./records.ts";

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

/** Settings and destination of a device's records. */
export interface Recording {
  readonly settings: RecorderSettings;
  readonly sink: RecordSink;
  /** True, the default, if a wait for the device blocks in its call, as in Deno; false if only its promise shows its end. */
  readonly waitsBlock?: boolean;
  /** Called at the end of each step with the queue of its device; the program continues when it returns. */
  readonly onStep?: ((queue: GPUQueue) => void) | undefined;
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
