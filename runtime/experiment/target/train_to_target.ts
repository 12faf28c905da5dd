import type { Device } from "../../device/device.ts";
import type { SlotPool } from "../../engine/slot_pool.ts";
import type { Target } from "../../result/schema.ts";
import type { TargetConfig } from "../../scenario/schema.ts";
import { roundOrder } from "../rounds/order.ts";
import type { Arm } from "../arm.ts";
import type { Planned } from "../planning.ts";
import type { RunProgress } from "../run_progress.ts";
import type { VariantArm } from "../variant/variant_arm.ts";
import { estimateLogs, ratioOf } from "../../analysis/comparison/estimate.ts";
import { roundUp } from "../../core/round_up.ts";
import type { FedBlock } from "../../trainer/feed/feed.ts";
import { evaluate } from "../../trainer/evaluate.ts";
import { LOSS_WINDOW, type Training, withTraining } from "../training.ts";

/** Variants to train to a target. */
export interface TargetRuns {
  readonly target: TargetConfig;
  /** Seed of the first training, incremented for each further one. */
  readonly seed: number;
  readonly variants: readonly (Planned & { readonly run: VariantArm })[];
  readonly device: Device;
  readonly slots: SlotPool;
  readonly progress: RunProgress;
  attempt(arm: Arm, work: () => Promise<unknown>): Promise<void>;
  interrupted(): boolean;
}

/**
 * Trains each variant to the target with several seeds, one seed at a time in a balanced order, and sets `target` of its
 * run. Skips variants without an optimizer.
 */
export async function trainToTarget(runs: TargetRuns): Promise<void> {
  const { target, device, slots, progress, attempt, interrupted: shouldStop } = runs;
  const trained = runs.variants.filter(({ variant }) => variant.config.optimizer !== null);
  const arrivals = new Map<VariantArm, Target["seeds"]>(trained.map(({ run }) => [run, []]));
  for (let i = 0; i < target.seeds; i++) {
    const seed = (runs.seed + i) % 2 ** 32;
    for (const index of roundOrder(trained.length, runs.seed, i)) {
      const { run, variant: { config }, dataset } = trained[index]!;
      const message = `seed ${i + 1}/${target.seeds}`;
      await attempt(run, async () => {
        const onStep = (done: number) => progress.at(run.name, "target", done, target.maxSteps, { message });
        const compiled = run.compiled!;
        const arrival = await trainTo(target, seed, { config, dataset, compiled, device, slots, shouldStop, onStep });
        if (arrival === null) return run.interrupt();
        const seeds = arrivals.get(run)!;
        seeds.push({ seed, ...arrival });
        run.target = targetResult(target, seeds);
      });
    }
  }
}

/** Number of steps between readbacks of losses. */
const LOOK = 20;

/** Steps and time until a training reached the target; both null if it did not. */
export type Arrival = Pick<Target["seeds"][number], "steps" | "wall">;

/** Trains from scratch with a seed. Returns null if interrupted. */
export function trainTo(target: TargetConfig, seed: number, training: Training): Promise<Arrival | null> {
  const { dataset, compiled, device, shouldStop } = training;
  return withTraining(training, { seed, label: "target" }, async ({ feed, session, config }) => {
    const unit = Math.max(1, compiled.sink);
    const chunk = roundUp(target.accuracy === null ? LOOK : target.every, unit);
    const losses: number[] = [];
    let wall = 0;
    while (losses.length < target.maxSteps) {
      const steps = Math.min(chunk, roundUp(target.maxSteps - losses.length, unit));
      const before = losses.length;
      const fed = await feed.run(steps, { onStep: (done) => training.onStep(before + done) });
      losses.push(...fed.outcomes.map(({ loss }) => loss));
      if (fed.interrupted) return null;
      if (target.loss !== null) {
        const step = firstUnder(losses, target.loss, before);
        if (step !== null) return { steps: step + 1, wall: wall + timeOf(fed, step + 1 - before) };
      }
      wall += fed.wall;
      if (target.accuracy === null) continue;
      const { accuracy, interrupted } = await evaluate(session, device, config, dataset, { shouldStop });
      if (interrupted) return null;
      if (accuracy !== null && accuracy >= target.accuracy) return { steps: losses.length, wall };
    }
    return { steps: null, wall: null };
  });
}

/** Returns the geometric mean time of the seeds that reached the target, with its interval. */
export function targetResult({ loss, accuracy }: TargetConfig, seeds: Target["seeds"]): Target {
  const times = seeds.flatMap(({ wall }) => wall === null || wall <= 0 ? [] : [Math.log(wall)]);
  const estimate = estimateLogs(times);
  return {
    metric: loss === null ? "accuracy" : "loss",
    threshold: loss ?? accuracy!,
    seeds,
    time: estimate === null ? null : ratioOf(estimate),
  };
}

/** Returns the first step from `from` on at which the mean of the last losses is at most `threshold`, or null. */
function firstUnder(losses: readonly number[], threshold: number, from: number): number | null {
  for (let step = Math.max(from, LOSS_WINDOW - 1); step < losses.length; step++) {
    const sum = losses.slice(step + 1 - LOSS_WINDOW, step + 1).reduce((total, loss) => total + loss, 0);
    if (sum / LOSS_WINDOW <= threshold) return step;
  }
  return null;
}

/** Returns the time of the first `steps` steps of a block, in ms. */
function timeOf(fed: FedBlock, steps: number): number {
  return fed.steps.slice(0, steps).reduce((sum, { batchCost }) => sum + batchCost, 0);
}
