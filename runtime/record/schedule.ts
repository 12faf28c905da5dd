/** Schedule of the profiled run, as in PyTorch's profiler. */
export interface ProfileRequest {
  /** Steps to skip once, at the start. */
  readonly skipFirst: number;
  /** Steps to skip at the start of each cycle. */
  readonly wait: number;
  /** Steps to record and discard next. */
  readonly warmup: number;
  /** Steps to record and keep next. */
  readonly active: number;
  /** Number of cycles of wait, warmup and active. */
  readonly repeat: number;
}

/** Treatment of one step of the profiled run. */
export type StepMode = "idle" | "warmup" | "active";

/** Schedule of a profile that is requested without one. */
export const DEFAULT_PROFILE: ProfileRequest = { skipFirst: 0, wait: 0, warmup: 1, active: 5, repeat: 1 };

/** Returns the steps of a scenario to profile: its own, else a few if they are needed; null for none. */
export function profileOf(
  { profile, bottleneck }: { readonly profile: ProfileRequest | null; readonly bottleneck: boolean },
  needed: boolean,
): ProfileRequest | null {
  // Bottlenecks need op times to separate arithmetic from memory
  return profile ?? (needed || bottleneck ? DEFAULT_PROFILE : null);
}

/** Returns the number of steps of the profiled run. */
export function stepCount({ skipFirst, wait, warmup, active, repeat }: ProfileRequest): number {
  return skipFirst + repeat * (wait + warmup + active);
}

/** Returns the treatment of step `step` of the profiled run. */
export function stepMode(request: ProfileRequest, step: number): StepMode {
  const { skipFirst, wait, warmup, active } = request;
  if (step < skipFirst || step >= stepCount(request)) return "idle";
  const place = (step - skipFirst) % (wait + warmup + active);
  return place < wait ? "idle" : place < wait + warmup ? "warmup" : "active";
}

/** Returns the schedule that records the steps in [first, end). */
export function profileWindow(first: number, end: number): ProfileRequest {
  return { skipFirst: first, wait: 0, warmup: 0, active: end - first, repeat: 1 };
}
