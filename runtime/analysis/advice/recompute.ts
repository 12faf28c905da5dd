import { ms, percent } from "./evidence.ts";
import { fixedCost, mostSamples, trainingChanges } from "./fixed_cost.ts";
import { boundsBatch, fitsBatch } from "./memory_bound.ts";
import { rule } from "./rule.ts";
import { shortened } from "./step_parts.ts";

/** Factors of the batch to try; larger ones change training too much. */
const FACTORS = [2, 4, 8];

/**
 * Proposes recomputation where memory bounds the batch, with the larger batch that it allows. A step that accumulates
 * gradients keeps its samples in fewer micro-batches.
 */
export const recompute = rule("recompute", ["device", "memory", "memoryLimit", "recomputed"], (context) => {
  const { memory, memoryLimit, parts, recomputed, settings, variant } = context;
  if (settings.recompute !== "none" || settings.optimizer === null || !boundsBatch(memory, memoryLimit)) return null;
  const plan = recomputed();
  const forward = variant.metrics.forward?.value ?? null;
  if (plan === null || forward === null) return null;
  const { accumulate, loader: { batchSize } } = settings;
  const accumulates = accumulate > 1;
  const most = accumulates ? accumulate : mostSamples(context);
  const factor = FACTORS.findLast((each) =>
    each <= most && (!accumulates || accumulate % each === 0) && fitsBatch(plan.memory, each, memoryLimit)
  );
  if (factor === undefined) return null;
  const { launch, sum } = fixedCost(context);
  const price = forward * plan.added;
  // With accumulation, the host's fixed work and the update are once per step, launches once per micro-batch
  const fixed = accumulates ? launch : sum;
  const { gain, limit } = shortened(parts, fixed - fixed / factor - price);
  return {
    message: accumulates
      ? `Recomputed activations leave room for micro-batches ${factor} times as large, with as many samples in a step`
      : `Recomputed activations leave room for a batch ${factor} times as large${trainingChanges(settings)}`,
    evidence: [
      { label: "peak memory", value: `${percent(memory.peak / memoryLimit)} of the limit`, where: "memory" },
      {
        label: "planned peak with recompute",
        value: `${percent(plan.memory.peak / memoryLimit)} of the limit`,
        where: "memory",
      },
      { label: "costs independent of the batch size", value: ms(fixed), where: "steps" },
    ],
    changes: [
      { path: "recompute", from: "none", to: "blocks" },
      { path: "loader.batchSize", from: batchSize, to: batchSize * factor },
      ...accumulates ? [{ path: "accumulate", from: accumulate, to: accumulate / factor }] : [],
    ],
    gain,
    reasoning: `recomputation repeats ${percent(plan.added)} of the forward pass's work, ${ms(price)}; ${
      ms(fixed)
    } of a step of ${ms(parts.step)} are spread over ${factor} times as many samples${limit}`,
  };
});
