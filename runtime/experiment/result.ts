import { adviseAll } from "../analysis/advice/advise.ts";
import { bottleneckOf } from "../analysis/bottleneck/bottleneck.ts";
import { rescaleAblations } from "../analysis/bottleneck/measured_ablations.ts";
import { probeTrend } from "../analysis/probe_trend.ts";
import { rooflineOf } from "../analysis/roofline.ts";
import { memoryLimit } from "../compile/budget.ts";
import type { Device } from "../device/device.ts";
import type { Peaks } from "../record/peaks.ts";
import {
  type Environment,
  type OpRecord,
  type Procedure,
  type Result,
  SCHEMA_VERSION,
  type VariantResult,
} from "../result/schema.ts";
import { describeEnvironment } from "./environment.ts";
import type { Arm, ArmRecord } from "./arm.ts";
import { compareVariants, type ComparisonTerms } from "./compare_variants.ts";
import type { Measured } from "./measure_arms.ts";
import type { ExperimentOptions } from "./options.ts";
import { runWarnings } from "./run_warnings.ts";

/** Everything that a result is composed of. */
export interface Outcome extends Measured {
  readonly scenario: ComparisonTerms;
  readonly options: Pick<ExperimentOptions, "script" | "runRecorder" | "onEvent">;
  readonly device: Device | null;
  readonly arms: readonly Arm[];
  readonly controlArm: Arm | null;
  /** Returns the peaks of the adapter, which these ops do not exceed. */
  peaks(ops: readonly OpRecord[]): Promise<Peaks | null>;
}

/** Composes the result of a run from the records of its arms. */
export async function composeResult(outcome: Outcome): Promise<Result> {
  const { scenario, options, device, arms, clock } = outcome;
  const records = arms.map((arm) => arm.record(clock));
  for (const { timeline } of records) if (timeline !== null) options.onEvent?.({ type: "timeline", timeline });
  const peaks = await outcome.peaks(records.flatMap(({ variant }) => variant.ops));
  const again = outcome.controlArm?.record(clock).variant ?? null;
  const { rounds } = outcome.rounds;
  const compared = compareVariants(scenario, records.map(({ variant }) => variant), rounds, again?.blocks ?? null);
  const { effects, front, noiseFloor, controlArm } = compared;
  const environment = await describeEnvironment(device?.info ?? null);
  const variants = withAdvice(outcome, peaks, records, compared.variants, environment);
  return {
    schemaVersion: SCHEMA_VERSION,
    environment,
    scenario: {
      name: scenario.name,
      ...options.script,
      seed: scenario.seed,
      params: scenario.params as Result["scenario"]["params"],
      adapted: scenario.adapted as Result["scenario"]["adapted"],
    },
    baseline: scenario.baseline,
    variants,
    noiseFloor,
    procedure: procedureOf(outcome, variants, again && { ...again, comparison: controlArm }),
    effects,
    front,
    ladder: null,
    roofline: peaks === null ? null : rooflineOf(peaks, variants),
  };
}

/** Adds bottlenecks and advice to the variants. */
function withAdvice(
  { scenario, device, clock }: Outcome,
  peaks: Peaks | null,
  records: readonly ArmRecord[],
  variants: readonly VariantResult[],
  { cores }: Environment,
): VariantResult[] {
  const bounded = variants.map((variant, i) => {
    const { ablations } = records[i]!;
    const measured = ablations === null ? null : rescaleAblations(ablations, clock?.scale ?? 1);
    const bottleneck = bottleneckOf(variant, measured, peaks);
    return { ...variant, bottleneck, bound: bottleneck?.byArms?.bound ?? variant.bound };
  });
  return adviseAll(bounded, scenario.baseline, {
    cores,
    software: device?.info.fallback === true,
    peaks,
    memoryLimit: device === null ? null : memoryLimit(scenario.memoryBudget, device.info),
  }, new Map(records.flatMap(({ variant, data }) => data === null ? [] : [[variant.name, data]])));
}

function procedureOf(
  { scenario, options, rounds, warmUp, warnings }: Outcome,
  variants: readonly VariantResult[],
  again: VariantResult | null,
): Procedure {
  const { precision, maxTime, minEffect } = scenario.measure;
  const trend = probeTrend(rounds.probe.map(({ time }) => time));
  const baseline = variants.find(({ name }) => name === scenario.baseline);
  return {
    ...rounds,
    precision: scenario.epochs === null ? precision : null,
    maxTime,
    minEffect,
    secondArm: again && { name: again.name, blocks: again.blocks, comparison: again.comparison },
    warnings: [
      ...warnings,
      ...runWarnings({ aliases: scenario.aliases, baseline, controlArm: again, trend, variants }),
    ],
    probeTrend: trend === null ? null : trend.change,
    warmUp,
    resumed: options.runRecorder?.resumed ?? 0,
  };
}
