import { readRules } from "../analysis/bottleneck/by_rules.ts";
import { compareArms, type Comparisons } from "../analysis/comparison/compare.ts";
import type { Updates } from "../analysis/comparison/updates.ts";
import { effectsOf } from "../analysis/comparison/effects.ts";
import { type LossTolerance, qualityOf } from "../analysis/comparison/losses.ts";
import { outliersOf, stepTimesOf } from "../analysis/comparison/steps.ts";
import { boundSoFar } from "../analysis/metrics.ts";
import type { Block, Comparison, Effect, Metric, VariantResult } from "../result/schema.ts";
import type { ResolvedScenario, ResolvedVariant } from "../scenario/resolve.ts";

/** Terms on which arms are compared: of a scenario, or of whatever else has arms. */
export interface Terms extends
  Pick<
    ResolvedScenario,
    "name" | "params" | "seed" | "baseline" | "measure" | "epochs" | "memoryBudget" | "aliases"
  > {
  /** The arms' places on the axes of a sweep, in their order. */
  readonly variants: readonly Pick<ResolvedVariant, "name" | "settings">[];
  /** How far an arm's losses may lie from the baseline's; null where it may train something else. */
  tolerance(name: string): LossTolerance | null;
}

/** The variants with what can only be said of them together. */
export interface Judgement extends Pick<Comparisons, "noiseFloor" | "controlArm"> {
  readonly variants: VariantResult[];
  readonly effects: Effect[];
}

/**
 * Compares the variants with the baseline, by the blocks of whole rounds.
 *
 * @param rounds whole ones
 * @param controlArm blocks of the control arm; null where there is none
 */
export function judgeVariants(
  terms: Terms,
  measured: readonly VariantResult[],
  rounds: number,
  controlArm: readonly Block[] | null,
): Judgement {
  const whole = (blocks: readonly Block[]) => blocks.filter(({ round }) => round < rounds);
  const { measure: { minEffect }, baseline, seed } = terms;
  const reference = measured.find(({ name }) => name === baseline);
  const arms = measured.map((variant) => {
    const { name, blocks, losses, status } = variant;
    const quality = name === baseline || reference === undefined
      ? null
      : qualityOf(losses, reference.losses, terms.tolerance(name));
    return { name, blocks: whole(blocks), quality, updates: updatesOf(variant), failed: status === "failed" };
  });
  const { byName, noiseFloor, controlArm: again } = compareArms({
    baseline,
    arms,
    controlArm: controlArm === null ? null : whole(controlArm),
    minEffect,
    seed,
  });
  const common = commonSteps(measured);
  const variants = measured.map((variant, i): VariantResult => {
    const { blocks, quality } = arms[i]!;
    const { comparison, verdict } = byName.get(variant.name)!;
    const speedup = variant.name === baseline && blocks.length > 0 ? ONE : comparison && asMetric(comparison);
    return {
      ...variant,
      metrics: { ...variant.metrics, speedup },
      bound: readRules(variant)?.bound ?? boundSoFar(variant.blocks),
      finalLoss: lossAt(variant, common - 1),
      verdict,
      comparison,
      stepTimes: variant.metrics.batchCost?.amortised === false ? stepTimesOf(variant.blocks) : null,
      outliers: outliersOf(variant.blocks),
      quality,
    };
  });
  const factorial = terms.variants.flatMap(({ name, settings }) => {
    const arm = arms.find((arm) => arm.name === name);
    return arm === undefined || arm.failed ? [] : [{ name, settings, blocks: arm.blocks }];
  });
  const effects = factorial.length === terms.variants.length ? effectsOf(factorial) : [];
  return { variants, effects, noiseFloor, controlArm: again };
}

/** Null without loss scaling. */
function updatesOf({ blocks, measuredOverflows }: VariantResult): Updates | null {
  const measured = blocks.reduce((sum, { steps }) => sum + steps.length, 0);
  return measuredOverflows === null ? null : { measured, skipped: measuredOverflows };
}

/** The baseline's own speed-up. */
const ONE: Metric = { value: 1, low: 1, high: 1, unit: "ratio", amortised: false };

function asMetric({ speedup }: Comparison): Metric {
  return { ...speedup, unit: "ratio", amortised: false };
}

/** The number of steps that every variant with losses has done. */
function commonSteps(variants: readonly VariantResult[]): number {
  const counts = variants.map(({ losses }) => losses.length).filter((count) => count > 0);
  return counts.length === 0 ? 0 : Math.min(...counts);
}

function lossAt(variant: VariantResult, step: number): VariantResult["finalLoss"] {
  const value = variant.losses[step];
  return value === undefined || value === null ? null : { step, value };
}
