import type { Device } from "../../device/device.ts";
import type { SlotPool } from "../../engine/slot_pool.ts";
import { toLoss } from "../../result/schema.ts";
import { evaluate } from "../../trainer/evaluate.ts";
import type { KeptTraining, RunRecorder } from "../../store/run_recorder.ts";
import type { Arm } from "../arm.ts";
import type { Planned } from "../planning.ts";
import { roundOrder } from "../rounds/order.ts";
import type { RunProgress } from "../run_progress.ts";
import { LOSS_WINDOW, type Training, withTraining } from "../training.ts";
import type { SeedRuns, VariantArm } from "../variant/variant_arm.ts";

/** Variants to train with several seeds. */
export interface RepeatedTrainings {
  /** Number of seeds. */
  readonly seeds: number;
  /** Seed of the first training, incremented for each further one. */
  readonly seed: number;
  readonly variants: readonly (Planned & { readonly run: VariantArm })[];
  readonly device: Device;
  readonly slots: SlotPool;
  readonly progress: RunProgress;
  /** Keeps complete trainings, and provides those of earlier sittings; null to keep none. */
  readonly runRecorder: RunRecorder | null;
  attempt(arm: Arm, work: () => Promise<unknown>): Promise<void>;
  interrupted(): boolean;
}

type SeedRun = SeedRuns["runs"][number];

/**
 * Trains each variant from scratch with several seeds, for the steps that the measured training of every variant had, one
 * seed at a time in a balanced order, and sets `seeds` of its run. Takes over the trainings of earlier sittings. Skips
 * variants without an optimizer.
 */
export async function repeatTrainings(repeated: RepeatedTrainings): Promise<void> {
  const { seeds: count, device, slots, progress, runRecorder, attempt, interrupted: shouldStop } = repeated;
  const trained = repeated.variants.filter(({ variant }) => variant.config.optimizer !== null);
  const steps = stepsOf(trained.map(({ run }) => run));
  if (steps === 0) return;
  const runs = new Map<VariantArm, SeedRun[]>(trained.map(({ run }) => [run, []]));
  for (let i = 0; i < count; i++) {
    const seed = (repeated.seed + i) % 2 ** 32;
    for (const index of roundOrder(trained.length, repeated.seed, i)) {
      const { run, variant: { config }, dataset } = trained[index]!;
      const message = `seed ${i + 1}/${count}`;
      await attempt(run, async () => {
        const compiled = run.compiled!;
        const onStep = (done: number) => progress.at(run.name, "seeds", done, steps, { message });
        const training = { config, dataset, compiled, device, slots, shouldStop, onStep };
        const place = { arm: run.name, seed, steps, plan: compiled.plan.fingerprint };
        const kept = keptTraining(runRecorder, place);
        const outcome = kept ?? await trainFor(steps, seed, training);
        if (outcome === null) return run.interrupt();
        if (kept !== null) onStep(steps);
        if (kept === null) runRecorder?.keepTraining({ ...place, loss: outcome.loss, accuracy: outcome.accuracy });
        const own = runs.get(run)!;
        own.push(outcome);
        run.seeds = { steps, window: Math.min(LOSS_WINDOW, steps), runs: own };
      });
    }
  }
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
