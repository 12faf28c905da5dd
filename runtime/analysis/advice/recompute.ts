import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { mostSamples, trainingChanges } from "./fixed_cost.ts";
import { boundsBatch, largerStep } from "./larger_step.ts";

/** Factors of the batch to try; larger ones change training too much. */
const FACTORS = [2, 4, 8];

/**
 * Proposes recomputation where memory bounds the batch, with the larger batch that it allows. A step that accumulates
 * gradients keeps its samples in fewer micro-batches.
 */
export const recompute = rule("recompute", ["device", "memory", "memoryLimit", "plan"], (context) => {
  const { device, memory, memoryLimit, plan, settings } = context;
  if (settings.recompute !== "none" || settings.optimizer === null || !boundsBatch(context)) return null;
  const again = plan({ batch: 1, recompute: true });
  if (again === null) return null;
  const { accumulate, loader: { batchSize } } = settings;
  const accumulates = accumulate > 1;
  const most = accumulates ? accumulate : mostSamples(context);
  const best = FACTORS.filter((factor) => factor <= most && (!accumulates || accumulate % factor === 0))
    .flatMap((batch) => largerStep(context, { batch, recompute: true }, accumulates) ?? [])
    .toSorted((a, b) => b.gain - a.gain)[0];
  if (best === undefined) return null;
  const { factor, gain, limit } = best;
  return {
    message: accumulates
      ? `Recomputed activations leave room for micro-batches ${factor} times as large, with as many samples in a step`
      : `Recomputed activations leave room for a batch ${factor} times as large${trainingChanges(settings)}`,
    evidence: [
      { label: "peak memory", value: `${percent(memory.peak / memoryLimit)} of the limit`, where: "memory" },
      {
        label: "planned peak with recompute",
        value: `${percent(again.memory.peak / memoryLimit)} of the limit`,
        where: "memory",
      },
      { label: "recomputation", value: `${ms(best.again)} of ${ms(best.device)}`, where: "memory" },
    ],
    changes: [
      { path: "recompute", from: "none", to: "blocks" },
      { path: "loader.batchSize", from: batchSize, to: batchSize * factor },
      ...accumulates ? [{ path: "accumulate", from: accumulate, to: accumulate / factor }] : [],
    ],
    gain,
    reasoning: accumulates
      ? `the micro-batches of a step take ${ms(best.device / factor)} on the device instead of ${ms(device)}, with ` +
        `${ms(best.again / factor)} of recomputation${limit}`
      : `a batch ${factor} times as large takes ${ms(best.device)} on the device instead of ${ms(device)}, with ` +
        `${ms(best.again)} of recomputation, and the host's work comes once for all its samples${limit}`,
  };
});
