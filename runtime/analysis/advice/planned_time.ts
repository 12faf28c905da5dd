/**
 * Device time of a step with a larger batch or recomputed activations, from the times of its ops and both plans.
 *
 * @module
 */
import type { OpRecord } from "../../result/ops.ts";
import type { Peaks } from "../../result/roofline.ts";
import { place } from "../roofline.ts";
import type { AdviceContext } from "./context.ts";
import { fixedCost, launchTime } from "./fixed_cost.ts";
import { opTime } from "./op_times.ts";
import type { OpWork, PlanChanges, PlannedStep } from "./planned_step.ts";

/**
 * Minimum fraction of the roofline that added work reaches in small kernels. Their time is mostly fixed, so their own fraction
 * says little about more work. The fraction with the smallest error over pairs of batches of four nets on lavapipe.
 */
const MARGINAL = 0.1;

/** Time of a small kernel in launches. The minimum above is inversely proportional to the time of longer ones. */
const SMALL = 10;

/** Device time of a step: ms. */
export interface PlannedTime {
  readonly device: number;
  /** The part of it that computes activations again. */
  readonly again: number;
}

/**
 * Predicts the device time of a step with changes. The time of each op grows by the work that its plan adds. Without plans
 * or peaks all of it grows with the batch, but for launches and the update.
 *
 * @returns null if the changes cannot be planned
 */
export function plannedTime(
  context: AdviceContext,
  changes: PlanChanges,
  marginal: number = MARGINAL,
): PlannedTime | null {
  const { device, ops, peaks, plan } = context;
  if (device === null) return null;
  const [before, after] = plan === null ? [null, null] : [plan({ batch: 1 }), plan(changes)];
  if (plan !== null && (before === null || after === null)) return null;
  if (before === null || after === null || ops === null || peaks === null) {
    if (changes.recompute === true) return null;
    const { launch, update } = fixedCost(context);
    return { device: launch + update + Math.max(0, device - launch - update) * changes.batch, again: 0 };
  }
  const launch = launchTime(context);
  const times = new Map(ops.map((op): [string, number] => {
    const [own, other] = [before.work.get(op.id), after.work.get(op.id)];
    const grown = { ...own!, flops: own!.flops * changes.batch, bytes: own!.bytes * changes.batch };
    return [op.id, timeOf(op, own!, other ?? grown, { launch, peaks, marginal })];
  }));
  const all = opTime(ops);
  const now = sum([...times.values()]);
  const again = recomputedTime(ops, times, after);
  return { device: device * (now + again) / all, again: device * again / all };
}

interface Machine {
  /** Launch of a dispatch: ms. */
  readonly launch: number;
  readonly peaks: Peaks;
  readonly marginal: number;
}

/** Predicts the time of an op whose work changes: ms. */
function timeOf(
  { median, dtype }: OpRecord,
  before: OpWork,
  after: OpWork,
  { launch, peaks, marginal }: Machine,
): number {
  const time = median ?? 0;
  const roof = (work: OpWork) => place({ ...work, time: null, dtype }, peaks)?.attainableTime ?? 0;
  const now = roof(before);
  const grown = roof({ ...after, flops: before.flops * growth(before, after) });
  const launched = launch * before.dispatches;
  const own = now / Math.max(now, time - launched);
  const small = launched === 0 ? 1 : Math.min(1, SMALL * launched / Math.max(time - launched, Number.MIN_VALUE));
  return time + Math.max(0, grown - now) / Math.max(own, marginal * small);
}

/**
 * Returns the growth of an op's arithmetic. Kernels compute whole tiles, so outputs that fill tiles further cost nothing;
 * longer sums do.
 */
function growth(before: OpWork, after: OpWork): number {
  const ratio = (of: (work: OpWork) => number) => of(before) === 0 ? 1 : of(after) / of(before);
  const flops = ratio((work) => work.flops);
  return Math.min(flops, ratio(({ workgroups }) => workgroups) * flops / ratio(({ elements }) => elements));
}

/** Returns the time of the activations that a plan computes again, each as in the forward pass: ms. */
function recomputedTime(ops: readonly OpRecord[], times: ReadonlyMap<string, number>, plan: PlannedStep): number {
  const forward = ops.filter(({ phase }) => phase === "forward");
  const forwardTime = sum(forward.map(({ id }) => times.get(id)!));
  const forwardWork = sum(forward.map(({ id }) => plan.work.get(id)?.flops ?? 0));
  const again = [...plan.work].filter(([, { recomputed }]) => recomputed);
  return sum(
    again.map(([id, { flops }]) =>
      times.get(id.replace(/\/recompute$/, "")) ?? (forwardWork === 0 ? 0 : forwardTime * flops / forwardWork)
    ),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
