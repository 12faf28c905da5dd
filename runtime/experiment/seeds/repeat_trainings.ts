import { toLoss } from "../../result/schema.ts";
import { evaluate } from "../../trainer/evaluate.ts";
import type { KeptTraining, RunRecorder } from "../../store/run_recorder.ts";
import { LOSS_WINDOW, trainEach, type Training, type Trainings, withTraining } from "../training.ts";
import type { SeedRuns, VariantArm } from "../variant/variant_arm.ts";

type SeedRun = SeedRuns["runs"][number];

/**
 * Trains each variant from scratch with `count` seeds, for the steps that the measured training of every variant had, and
 * sets `seeds` of its run. Takes over the trainings of earlier sittings. Skips variants without an optimizer.
 *
 * @param runRecorder keeps complete trainings, and provides those of earlier sittings; null to keep none
 */
export async function repeatTrainings(
  trainings: Trainings,
  count: number,
  runRecorder: RunRecorder | null,
): Promise<void> {
  const trained = trainings.variants.filter(({ variant }) => variant.config.optimizer !== null);
  const steps = stepsOf(trained.map(({ run }) => run));
  if (steps === 0) return;
  await trainEach(trainings, { seeds: count, stage: "seeds", steps }, async (run, seed, training) => {
    const place = { arm: run.name, seed, steps, plan: training.compiled.plan.fingerprint };
    const kept = keptTraining(runRecorder, place);
    if (kept !== null) training.onStep(steps);
    const outcome = kept ?? await trainFor(steps, seed, training);
    if (kept === null && outcome !== null) {
      runRecorder?.keepTraining({ ...place, loss: outcome.loss, accuracy: outcome.accuracy });
    }
    return outcome;
  }, (run, runs) => run.seeds = { steps, window: Math.min(LOSS_WINDOW, steps), runs: [...runs] });
}

/** Returns the same training of an earlier sitting, or null. */
function keptTraining(
  runRecorder: RunRecorder | null,
  { arm, seed, steps, plan }: Pick<KeptTraining, "arm" | "seed" | "steps" | "plan">,
): SeedRun | null {
  const kept = runRecorder?.trainings.find((one) => one.arm === arm && one.seed === seed);
  if (kept === undefined || kept.steps !== steps || kept.plan !== plan) return null;
  return { seed, loss: kept.loss, accuracy: kept.accuracy };
}

/** Returns the steps that every arm completed, rounded down to whole sinks of every arm where possible; 0 if none ran. */
function stepsOf(runs: readonly VariantArm[]): number {
  const common = Math.min(...runs.map(({ losses }) => losses.length).filter((length) => length > 0));
  if (!Number.isFinite(common)) return 0;
  const unit = runs.reduce((multiple, { unit }) => leastCommonMultiple(multiple, unit), 1);
  return unit > common ? common : common - common % unit;
}

function leastCommonMultiple(a: number, b: number): number {
  let [divisor, rest] = [a, b];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  return a / divisor * b;
}

/** Trains from scratch for a number of steps, and then up to the end of a sink. Returns null if interrupted. */
function trainFor(steps: number, seed: number, training: Training): Promise<SeedRun | null> {
  const { dataset, device, compiled, shouldStop, onStep } = training;
  return withTraining(training, { seed, label: "seeds" }, async ({ feed, session, config }) => {
    const unit = Math.max(1, compiled.sink);
    const fed = await feed.run(Math.floor(steps / unit) * unit, { onStep });
    if (fed.interrupted) return null;
    const losses = fed.outcomes.map(({ loss }) => loss);
    const rest = steps - losses.length;
    if (rest > 0) {
      const last = await feed.run(unit, { onStep: (done) => onStep(Math.min(steps, losses.length + done)) });
      if (last.interrupted) return null;
      losses.push(...last.outcomes.slice(0, rest).map(({ loss }) => loss));
    }
    const window = losses.slice(-LOSS_WINDOW);
    const loss = toLoss(window.reduce((sum, one) => sum + one, 0) / window.length);
    if (config.evaluate === null) return { seed, loss, accuracy: null };
    const { accuracy, interrupted } = await evaluate(session, device, config, dataset, { shouldStop });
    return interrupted ? null : { seed, loss, accuracy };
  });
}
