import { readRules } from "../analysis/bottleneck/by_rules.ts";
import { compareArms, type Comparisons } from "../analysis/comparison/compare.ts";
import { type Updates, workReason } from "../analysis/comparison/work.ts";
import { outputReason } from "../analysis/comparison/compare_outputs.ts";
import { effectsOf } from "../analysis/comparison/effects.ts";
import { frontOf } from "../analysis/comparison/front.ts";
import { type LossTolerance, qualityOf } from "../analysis/comparison/losses.ts";
import { lossesBySeed, seedDifferences } from "../analysis/comparison/seeds.ts";
import { measuredBlocks } from "../analysis/comparison/measured_blocks.ts";
import { outliersOf, stepTimesOf } from "../analysis/comparison/steps.ts";
import { boundSoFar } from "../analysis/metrics.ts";
import { isProgram } from "../report/own_loop.ts";
import type { Block, Comparison, Effect, Front, Metrics, VariantResult } from "../result/schema.ts";
import { PLAIN_UNIT, VERSION_VARIABLE } from "../scenario/program.ts";
import type { ResolvedScenario, ResolvedVariant } from "../scenario/resolve.ts";
import { comparedSteps } from "./start/step_counts.ts";

/** Settings of a comparison of arms. */
export interface ComparisonTerms extends
  Pick<
    ResolvedScenario,
    "name" | "params" | "seed" | "baseline" | "measure" | "epochs" | "memoryBudget" | "aliases" | "adapted"
  > {
  /** Values of the sweep's settings for each arm, in the order of the arms. */
  readonly variants: readonly Pick<ResolvedVariant, "name" | "settings">[];
  /** Returns the tolerance of an arm's losses; null if it may train something else. */
  tolerance(name: string): LossTolerance | null;
}

/** Variants with comparisons, effects of settings, and the noise floor. */
export interface ComparedVariants extends Pick<Comparisons, "noiseFloor" | "controlArm"> {
  readonly variants: VariantResult[];
  readonly effects: Effect[];
  /** Best variants of a sweep; null without one. */
  readonly front: Front | null;
}

/**
 * Compares the variants with the baseline, using the blocks of complete rounds.
 *
 * @param rounds number of complete rounds
 * @param controlArm blocks of the control arm; null without one
 */
export function compareVariants(
  terms: ComparisonTerms,
  measured: readonly VariantResult[],
  rounds: number,
  controlArm: readonly Block[] | null,
): ComparedVariants {
  const { measure: { minEffect, precision, statistic }, baseline, seed } = terms;
  const whole = (blocks: readonly Block[]) =>
    measuredBlocks(blocks.filter(({ round }) => round < rounds), statistic ?? "mean");
  const reference = measured.find(({ name }) => name === baseline);
  const arms = measured.map((variant) => {
    const { name, blocks, losses, status } = variant;
    const quality = name === baseline || reference === undefined
      ? null
      : qualityOf(losses, reference.losses, terms.tolerance(name));
    const output = outputReason(variant, baseline);
    const work = output !== null
      ? output
      : reference === undefined || saysWork(variant)
      ? null
      : workReason(variant, reference, minEffect);
    // The complete rounds of a program stay what they are if it fails in a later one
    const failed = status === "failed" && !isProgram(variant.config);
    return { name, blocks: whole(blocks), quality, updates: updatesOf(variant), work, failed };
  });
  const { byName, noiseFloor, controlArm: again } = compareArms({
    baseline,
    arms,
    controlArm: controlArm === null ? null : whole(controlArm),
    minEffect,
    byPrecision: precision !== null,
    seed,
  });
  const last = lastCommonLoss(measured, comparedSteps(terms.measure, terms.epochs));
  const variants = measured.map((variant, i): VariantResult => {
    const { blocks, quality } = arms[i]!;
    const { comparison, verdict } = byName.get(variant.name)!;
    const speedup = variant.name === baseline && blocks.length > 0 ? ONE : comparison && asMetric(comparison);
    return {
      ...variant,
      metrics: { ...variant.metrics, speedup },
      bound: readRules(variant)?.bound ?? boundSoFar(variant.blocks),
      finalLoss: lossAt(variant, last),
      verdict,
      comparison,
      stepTimes: variant.metrics.batchCost?.amortised === false ? stepTimesOf(variant.blocks, statistic) : null,
      outliers: outliersOf(variant.blocks),
      quality,
      seeds: withDifferences(variant, reference),
    };
  });
  const factorial = terms.variants.flatMap(({ name, settings }) => {
    const arm = arms.find((arm) => arm.name === name);
    return arm === undefined || arm.failed ? [] : [{ name, settings, blocks: arm.blocks }];
  });
  const effects = factorial.length === terms.variants.length ? effectsOf(factorial) : [];
  const isSwept = measured.some(({ axes }) => Object.keys(axes).length > 0);
  const front = isSwept ? frontOf(candidates(variants, whole), Math.max(minEffect, noiseFloor ?? 0)) : null;
  return { variants, effects, front, noiseFloor, controlArm: again };
}

/** Returns the trainings of a variant with several seeds, compared with the baseline's. */
function withDifferences({ name, seeds }: VariantResult, reference: VariantResult | undefined): VariantResult["seeds"] {
  if (seeds === null || name === reference?.name || !reference?.seeds) return seeds;
  return { ...seeds, ...seedDifferences(seeds.runs, reference.seeds.runs) };
}

/** Returns the variants that can be on the front: those that were measured and trained as they should. */
function candidates(
  variants: readonly VariantResult[],
  whole: (blocks: readonly Block[]) => readonly Block[],
): Parameters<typeof frontOf>[0] {
  return variants.flatMap(({ name, status, verdict, blocks, memory, seeds }) => {
    const complete = whole(blocks);
    if (status === "failed" || verdict === "invalid" || complete.length === 0) return [];
    return [{ name, blocks: complete, memory: memory?.peak ?? null, losses: seeds && lossesBySeed(seeds.runs) }];
  });
}

/** Returns true if the settings say what a step holds, or where the steps of the same program end in each version. */
function saysWork({ config: { data, program } }: VariantResult): boolean {
  if (data?.unit !== PLAIN_UNIT) return true;
  return program?.env?.[VERSION_VARIABLE] !== undefined && program.steps !== "auto";
}

/** Returns the numbers of measured and skipped updates, or null without loss scaling. */
function updatesOf({ blocks, measuredOverflows }: VariantResult): Updates | null {
  const measured = blocks.reduce((sum, { steps }) => sum + steps.length, 0);
  return measuredOverflows === null ? null : { measured, skipped: measuredOverflows };
}

/** Speed-up of the baseline. */
const ONE: Metrics["speedup"] = { value: 1, low: 1, high: 1, unit: "ratio" };

function asMetric({ speedup }: Comparison): Metrics["speedup"] {
  return { ...speedup, unit: "ratio" };
}

/** Returns the last of the first `steps` steps at which all variants that train have a loss; -1 if there is none. */
function lastCommonLoss(variants: readonly VariantResult[], steps: number): number {
  const training = variants.filter(({ status, losses }) => status !== "failed" && losses.some((loss) => loss !== null));
  const [first, ...others] = (training.length > 0 ? training : variants).map(({ losses }) => losses);
  const hasLoss = (step: number) => others.every((losses) => (losses[step] ?? null) !== null);
  return first?.slice(0, steps).findLastIndex((loss, step) => loss !== null && hasLoss(step)) ?? -1;
}

function lossAt(variant: VariantResult, step: number): VariantResult["finalLoss"] {
  const value = variant.losses[step];
  return value === undefined || value === null ? null : { step, value };
}
