/** Which steps of the profiled run are recorded, after PyTorch's schedule. */
export interface ProfileRequest {
  /** Steps at the start that are run without being recorded; once. */
  readonly skipFirst: number;
  /** Steps at the start of each cycle that are run without being recorded. */
  readonly wait: number;
  /** Steps after them that are recorded and thrown away. */
  readonly warmup: number;
  /** Steps after them that are recorded and kept. */
  readonly active: number;
  /** Cycles of wait, warmup and active. */
  readonly repeat: number;
}

/** What happens to a step of the profiled run. */
export type StepMode = "idle" | "warmup" | "active";

/** The schedule where a profile is asked for and none is given. */
export const DEFAULT_PROFILE: ProfileRequest = { skipFirst: 0, wait: 0, warmup: 1, active: 5, repeat: 1 };

/** Steps of the profiled run. */
export function stepCount({ skipFirst, wait, warmup, active, repeat }: ProfileRequest): number {
  return skipFirst + repeat * (wait + warmup + active);
}

/** What happens to step `step` of the profiled run. */
export function stepMode(request: ProfileRequest, step: number): StepMode {
  const { skipFirst, wait, warmup, active } = request;
  if (step < skipFirst || step >= stepCount(request)) return "idle";
  const place = (step - skipFirst) % (wait + warmup + active);
  return place < wait ? "idle" : place < wait + warmup ? "warmup" : "active";
}

/** The schedule that records the steps from `first` to the one before `end`. */
export function profileWindow(first: number, end: number): ProfileRequest {
  return { skipFirst: first, wait: 0, warmup: 0, active: end - first, repeat: 1 };
}
