import type { Device } from "../../device/device.ts";
import type { SlotPool } from "../../engine/slot_pool.ts";
import type { Target } from "../../result/schema.ts";
import type { TargetConfig } from "../../scenario/schema.ts";
import { roundOrder } from "../rounds/order.ts";
import type { Arm } from "../arm.ts";
import type { Planned } from "../planning.ts";
import type { RunProgress } from "../run_progress.ts";
import { targetResult, trainTo } from "./target_training.ts";
import type { VariantArm } from "../variant/variant_arm.ts";

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
