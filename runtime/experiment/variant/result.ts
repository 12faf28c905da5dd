import { seedEstimates } from "../../analysis/comparison/seeds.ts";
import type { CompiledVariant } from "../../compile/variant.ts";
import { TachoError } from "../../core/errors.ts";
import type { TuningOutcome } from "../../engine/tuning/tuner.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import type { Ranks } from "../../result/ranks.ts";
import type { Seeds, Target, VariantResult } from "../../result/schema.ts";
import type { Config } from "../../scenario/config.ts";
import { describeConfig } from "../../scenario/describe.ts";
import type { ResolvedVariant } from "../../scenario/resolve.ts";
import type { PreparedFacts } from "./prepared.ts";
import type { VariantRecord } from "./record.ts";

/** Measurements of a single variant. */
export interface MeasuredVariant {
  readonly name: string;
  readonly axes: ResolvedVariant["axes"];
  readonly config: Config;
  readonly compiled: CompiledVariant | null;
  readonly tuning: TuningOutcome | null;
  readonly loader: PreparedFacts["loader"] | null;
  readonly error: Error | null;
  readonly interrupted: boolean;
  readonly record: VariantRecord;
  readonly amortised: boolean;
  /** Profile; null without profiled steps. */
  readonly profiled: Pick<VariantResult, "ops"> & { readonly profile: NonNullable<VariantResult["profile"]> } | null;
  readonly seeds: Pick<Seeds, "steps" | "window" | "runs"> | null;
  readonly target: Target | null;
  /** Distributed training; null on one rank. */
  readonly ranks: Ranks | null;
}

/**
 * Returns the result of a variant, without comparisons between variants.
 *
 * @param clock mapping of the device's clock to the host's; null if not calibrated
 */
export function variantResult(measured: MeasuredVariant, clock: ClockFit | null): VariantResult {
  const { name, axes, config, compiled, error, record, loader, profiled } = measured;
  const blocks = record.scaledBlocks(clock);
  const exact = record.exact(compiled, measured.interrupted || error !== null);
  const scaled = compiled?.plan.gradientTable != null;
  const { all, measured: measuredSkips } = record.skippedUpdates;
  return {
    name,
    axes,
    config: describeConfig(config) as VariantResult["config"],
    status: error !== null ? "failed" : measured.interrupted ? "interrupted" : "ok",
    error: error === null
      ? null
      : { message: error.message, exitStatus: error instanceof TachoError ? error.exitStatus : 1 },
    planFingerprint: compiled?.plan.fingerprint ?? null,
    parameters: compiled?.parameterCount ?? null,
    metrics: record.metrics(blocks, {
      amortised: measured.amortised,
      profilingCost: profiled?.profile.cost.phases ?? null,
    }),
    bound: null,
    finalLoss: null,
    overflows: scaled ? all : null,
    measuredOverflows: scaled ? measuredSkips : null,
    lossScale: scaled ? record.lossScale : null,
    counts: record.counts(compiled),
    ...exact === undefined ? {} : { exact },
    timestamps: record.timestamps(clock),
    blocks,
    autotune: measured.tuning,
    ops: profiled?.ops ?? [],
    profile: profiled?.profile ?? null,
    queues: record.queues(loader),
    pipeline: record.pipeline(loader, compiled),
    losses: record.losses,
    evaluations: record.evaluations,
    verdict: null,
    comparison: null,
    stepTimes: null,
    outliers: null,
    quality: null,
    seeds: measured.seeds && {
      ...measured.seeds,
      ...seedEstimates(measured.seeds.runs),
      lossDifference: null,
      accuracyDifference: null,
    },
    target: measured.target,
    ...measured.ranks === null ? {} : { ranks: measured.ranks },
    memory: compiled?.memory ?? null,
    bottleneck: null,
    findings: [],
  };
}
