import type { AttachedDevice, Step, StepAccount } from "../../../result/attach_result.ts";
import { type TotalName, TOTALS } from "../../../attach/records.ts";

/** Steps from which on a program that compiles in every step is no longer warming up. */
const ALWAYS_COMPILES = 3;

/** A device before it has advice. */
export type AnalysedDevice = Omit<AttachedDevice, "advice">;

/** Means over the steps of a device's program, which rules share. Times are in ms. */
export interface StepFacts {
  readonly device: AnalysedDevice;
  /** Steps after the warm-up. If all steps are warm-up, since each compiles, all but the first. */
  readonly steps: readonly Step[];
  /** Wall time. */
  readonly wall: number;
  readonly counts: Readonly<Record<TotalName, number>>;
  /** Mean over the timed steps; null without any. */
  readonly account: StepAccount | null;
  /** Time in which the device has no submitted work; the wall time without an account. */
  readonly starved: number;
  /** Copy bandwidth measured on the adapter; null if unknown. */
  readonly copyGBs: number | null;
}

/** Returns what rules need to know of a device; null without steps. */
export function factsOf(device: AnalysedDevice, copyGBs: number | null): StepFacts | null {
  const all = device.steps.steps;
  const steady = all.filter(({ warmUp }) => !warmUp);
  const steps = steady.length > 0 || all.length < ALWAYS_COMPILES ? steady : all.slice(1);
  if (steps.length === 0) return null;
  const mean = (of: (step: Step) => number) => steps.reduce((sum, step) => sum + of(step), 0) / steps.length;
  const { account } = device;
  const wall = account?.wall ?? mean((step) => step.wall);
  return {
    ...{ device, steps, wall, account, copyGBs },
    counts: Object.fromEntries(TOTALS.map((name) => [name, mean(({ totals }) => totals[name])])) as Record<
      TotalName,
      number
    >,
    starved: account === null ? wall : starvedTime(account),
  };
}

/** Returns the idle time of the device outside submitted work. What is unexplained may be work. */
function starvedTime({ wall, kernels, idle }: StepAccount): number {
  return Math.max(0, wall - kernels - idle.gaps - idle.copies - idle.unexplained);
}
