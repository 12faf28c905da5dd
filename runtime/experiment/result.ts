import { adviseAll } from "../analysis/advice/advise.ts";
import { bottleneckOf } from "../analysis/bottleneck/bottleneck.ts";
import { rescaleAblations } from "../analysis/bottleneck/measured_ablations.ts";
import { probeTrend } from "../analysis/probe_trend.ts";
import { withEfficiency } from "../analysis/ranks.ts";
import { rooflineOf } from "../analysis/roofline.ts";
import { memoryLimit } from "../compile/budget.ts";
import type { AdapterInfo } from "../device/adapter.ts";
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
import { inputHashes } from "./input_hashes.ts";
import type { Arm, ArmRecord } from "./arm.ts";
import { compareOutputs } from "../analysis/comparison/compare_outputs.ts";
import { compareVariants, type ComparisonTerms } from "./compare_variants.ts";
import { outputToleranceOf } from "./tolerance.ts";
import type { Measured } from "./measure_arms.ts";
import type { ExperimentOptions } from "./options.ts";
import { runWarnings } from "./run_warnings.ts";

/** Everything that a result is composed of. */
export interface Outcome extends Measured {
  readonly scenario: ComparisonTerms;
  readonly options: Pick<ExperimentOptions, "script" | "runRecorder" | "onEvent">;
  /** Adapter that the arms use; null without one. */
  readonly adapter: AdapterInfo | null;
  readonly arms: readonly Arm[];
  readonly controlArm: Arm | null;
  /** Returns the peaks of the adapter, which these ops do not exceed. */
  peaks(ops: readonly OpRecord[]): Promise<Peaks | null>;
}

/** Composes the result of a run from the records of its arms. */
export async function composeResult(outcome: Outcome): Promise<Result> {
  const { scenario, options, adapter, arms, clock } = outcome;
  const records = arms.map((arm) => arm.record(clock));
  const timelines = records.flatMap(({ timeline, rankTimelines = [] }) => [
    ...timeline === null ? [] : [timeline],
    ...rankTimelines,
  ]);
  for (const timeline of timelines) options.onEvent?.({ type: "timeline", timeline });
  const peaks = await outcome.peaks(records.flatMap(({ variant }) => variant.ops));
  const again = outcome.controlArm?.record(clock).variant ?? null;
  const { rounds } = outcome.rounds;
  const measured = records.map(({ variant }, i) => ({ ...variant, ...outputsOf(outcome, arms[i]!) }));
  const compared = compareVariants(scenario, measured, rounds, again?.blocks ?? null);
  const { effects, front, noiseFloor, controlArm } = compared;
  const inputs = await inputHashes(compared.variants.map(({ config }) => config));
  const environment = { ...await describeEnvironment(adapter), inputs };
  const variants = withAdvice(outcome, peaks, records, withEfficiency(compared.variants), environment);
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
  { scenario, adapter, clock }: Outcome,
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
  const byName = <T>(of: (record: ArmRecord) => T | null) =>
    new Map(records.flatMap((record) => {
      const value = of(record);
      return value === null ? [] : [[record.variant.name, value] as const];
    }));
  return adviseAll(
    bounded,
    scenario.baseline,
    {
      cores,
      software: adapter?.fallback === true,
      peaks,
      memoryLimit: adapter === null ? null : memoryLimit(scenario.memoryBudget, adapter),
    },
    byName(({ data }) => data),
    byName(({ plan = null }) => plan),
  );
}

/** Compares what an arm has computed with what the baseline has. */
function outputsOf({ scenario, arms }: Outcome, arm: Arm): Pick<VariantResult, "outputs"> {
  const { baseline, measure } = scenario;
  const reference = arms.find(({ name }) => name === baseline);
  if (arm === reference || arm.failure !== null) return {};
  const given = measure.outputs;
  // Variants that are meant to compute something else have no tolerance
  const limit = arm.readOutputs === undefined ? given : outputToleranceOf(scenario.tolerance(arm.name), given);
  if (limit === null) return {};
  const outputs = compareOutputs(arm.outputs ?? [], reference?.outputs ?? [], limit);
  return outputs === undefined ? {} : { outputs };
}

function procedureOf(
  { scenario, options, rounds, warmUp, warnings, energy }: Outcome,
  variants: readonly VariantResult[],
  again: VariantResult | null,
): Procedure {
  const { precision, maxTime, minEffect, statistic } = scenario.measure;
  const trend = probeTrend(rounds.probe.map(({ time }) => time));
  const baseline = variants.find(({ name }) => name === scenario.baseline);
  return {
    ...rounds,
    precision: scenario.epochs === null ? precision : null,
    maxTime,
    minEffect,
    ...statistic === "mean" ? {} : { statistic },
    secondArm: again && { name: again.name, blocks: again.blocks, comparison: again.comparison },
    warnings: [
      ...warnings,
      ...runWarnings({ aliases: scenario.aliases, baseline, controlArm: again, trend, variants }),
    ],
    probeTrend: trend === null ? null : trend.change,
    warmUp,
    energy: { ...energy, sources: [...energy.sources] },
    resumed: options.runRecorder?.resumed ?? 0,
  };
}
