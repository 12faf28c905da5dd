import { estimateLogs, ratioOf } from "../../analysis/comparison/estimate.ts";
import { roundUp } from "../../core/round_up.ts";
import type { FedBlock } from "../../trainer/feed/feed.ts";
import type { Target } from "../../result/schema.ts";
import type { TargetConfig } from "../../scenario/schema.ts";
import { evaluate } from "../../trainer/evaluate.ts";
import { LOSS_WINDOW, trainEach, type Training, type Trainings, withTraining } from "../training.ts";

/**
 * Trains each variant to the target with several seeds, to measure the time it takes, and sets `target` of its run. Skips
 * variants without an optimizer.
 */
export async function trainToTarget(trainings: Trainings, target: TargetConfig): Promise<void> {
  await trainEach(
    trainings,
    { seeds: target.seeds, stage: "target", steps: target.maxSteps },
    async (_, seed, training) => {
      const arrival = await trainTo(target, seed, training);
      return arrival === null ? null : { seed, ...arrival };
    },
    (run, seeds) => run.target = targetResult(target, [...seeds]),
  );
}

/** Number of steps between readbacks of losses. */
const LOOK = 20;

/** Steps and time until a training reached the target; both null if it did not. */
type Arrival = Pick<Target["seeds"][number], "steps" | "wall">;

/** Trains from scratch with a seed. Returns null if interrupted. */
function trainTo(target: TargetConfig, seed: number, training: Training): Promise<Arrival | null> {
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
function targetResult({ loss, accuracy }: TargetConfig, seeds: Target["seeds"]): Target {
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
