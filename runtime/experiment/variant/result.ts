import { seedEstimates } from "../../analysis/comparison/seeds.ts";
import { TachoError } from "../../core/errors.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import type { Seeds, Target, VariantResult } from "../../result/schema.ts";
import { unmeasuredVariant } from "../../result/unmeasured.ts";
import { describeConfig } from "../../scenario/describe.ts";
import type { LocalSteps } from "./local_steps.ts";
import type { PreparedFacts } from "./prepared.ts";

/** Measurements of an arm besides its steps. */
export interface ArmOutcome {
  readonly facts: PreparedFacts | null;
  readonly error: Error | null;
  /** Profile; null without profiled steps. */
  readonly profiled: Pick<VariantResult, "ops"> & { readonly profile: NonNullable<VariantResult["profile"]> } | null;
  readonly seeds: Pick<Seeds, "steps" | "window" | "runs"> | null;
  readonly target: Target | null;
}

/**
 * Returns the result of a variant, without comparisons between variants.
 *
 * @param clock mapping of the device's clock to the host's; null if not calibrated
 */
export function variantResult(
  { variant: { name, axes, config }, compiled, tuning, record, interrupted, place: { team } }: LocalSteps,
  { facts, error, profiled, seeds, target }: ArmOutcome,
  clock: ClockFit | null,
): VariantResult {
  const blocks = record.scaledBlocks(clock);
  const exact = record.exact(compiled, interrupted || error !== null);
  const scaled = compiled?.plan.gradientTable != null;
  const { all, measured } = record.skippedUpdates;
  const ranks = team == null ? null : record.ranks(team);
  const loader = facts?.loader ?? null;
  return {
    ...unmeasuredVariant(name, describeConfig(config) as VariantResult["config"]),
    axes,
    status: error !== null ? "failed" : interrupted ? "interrupted" : "ok",
    error: error === null
      ? null
      : { message: error.message, exitStatus: error instanceof TachoError ? error.exitStatus : 1 },
    planFingerprint: compiled?.plan.fingerprint ?? null,
    parameters: compiled?.parameterCount ?? null,
    metrics: record.metrics(blocks, {
      amortised: facts?.amortised ?? false,
      profilingCost: profiled?.profile.cost.phases ?? null,
    }),
    overflows: scaled ? all : null,
    measuredOverflows: scaled ? measured : null,
    lossScale: scaled ? record.lossScale : null,
    counts: record.counts(compiled),
    ...exact === undefined ? {} : { exact },
    timestamps: record.timestamps(clock),
    blocks,
    autotune: tuning.outcome,
    ops: profiled?.ops ?? [],
    profile: profiled?.profile ?? null,
    queues: record.queues(loader),
    pipeline: record.pipeline(loader, compiled),
    losses: record.losses,
    evaluations: record.evaluations,
    seeds: seeds && { ...seeds, ...seedEstimates(seeds.runs), lossDifference: null, accuracyDifference: null },
    target,
    ...ranks === null ? {} : { ranks },
    memory: compiled?.memory ?? null,
  };
}
