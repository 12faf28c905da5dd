import { adviseAll } from "../analysis/advice/advise.ts";
import { bottleneckOf } from "../analysis/bottleneck/bottleneck.ts";
import { rescaleAblations } from "../analysis/bottleneck/measured_ablations.ts";
import { probeTrend } from "../analysis/probe_trend.ts";
import { rooflineOf } from "../analysis/roofline.ts";
import { memoryLimit } from "../compile/budget.ts";
import type { Device } from "../device/device.ts";
import type { ClockFit } from "../record/clock_fit.ts";
import type { Peaks } from "../record/peaks.ts";
import { type Environment, type Procedure, type Result, SCHEMA_VERSION, type VariantResult } from "../result/schema.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { describeEnvironment } from "./environment.ts";
import { judgeVariants } from "./judgement.ts";
import type { ExperimentOptions } from "./options.ts";
import type { RoundsOutcome } from "./rounds/rounds.ts";
import { runWarnings } from "./run_warnings.ts";
import type { VariantRun } from "./variant/run.ts";

/** What a run leaves behind. */
export interface Outcome {
  readonly scenario: ResolvedScenario;
  readonly options: ExperimentOptions;
  readonly device: Device | null;
  readonly runs: readonly VariantRun[];
  readonly controlArm: VariantRun | null;
  /** How the device's clock runs on the host's axis; null where it was not calibrated. */
  readonly clock: ClockFit | null;
  readonly rounds: RoundsOutcome;
  readonly warmUp: Procedure["warmUp"];
  readonly warnings: Procedure["warnings"];
  readonly peaks: Peaks | null;
}

/** The result of a run, with what is said of its variants together. */
export async function composeResult(outcome: Outcome): Promise<Result> {
  const { scenario, options, device, runs, clock, peaks } = outcome;
  const measured = runs.map((run) => run.result(clock));
  for (const { timeline } of runs) if (timeline !== null) options.onTimeline?.(timeline);
  const again = outcome.controlArm?.result(clock) ?? null;
  const { rounds } = outcome.rounds;
  const judged = judgeVariants(scenario, measured, rounds, again?.blocks ?? null);
  const { effects, noiseFloor, controlArm } = judged;
  const environment = await describeEnvironment(device?.info ?? null);
  const variants = withAdvice(outcome, judged.variants, environment);
  return {
    schemaVersion: SCHEMA_VERSION,
    environment,
    scenario: {
      name: scenario.name,
      ...options.script,
      seed: scenario.seed,
      params: scenario.params as Result["scenario"]["params"],
    },
    baseline: scenario.baseline,
    variants,
    noiseFloor,
    procedure: procedureOf(outcome, variants, again && { ...again, comparison: controlArm }),
    effects,
    ladder: null,
    roofline: peaks === null ? null : rooflineOf(peaks, variants),
  };
}

/** The variants with what bounds them and what to change. */
function withAdvice(
  { scenario, device, runs, clock, peaks }: Outcome,
  variants: readonly VariantResult[],
  { cores }: Environment,
): VariantResult[] {
  const takenApart = new Map(
    runs.flatMap(({ name, takenApart }) =>
      takenApart === null ? [] : [[name, rescaleAblations(takenApart, clock?.scale ?? 1)] as const]
    ),
  );
  const bounded = variants.map((variant) => ({
    ...variant,
    bottleneck: bottleneckOf(variant, takenApart.get(variant.name) ?? null, peaks),
  }));
  return adviseAll(bounded, scenario.baseline, {
    cores,
    software: device?.info.fallback === true,
    peaks,
    memoryLimit: device === null ? null : memoryLimit(scenario.memoryBudget, device.info),
  }, new Map(runs.map(({ name, data }) => [name, data])));
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
    resumed: options.keeper?.resumed ?? 0,
  };
}
