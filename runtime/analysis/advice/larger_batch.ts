import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { fixedCost, trainingChanges } from "./fixed_cost.ts";
import { bestLargerStep } from "./larger_step.ts";

/** Minimum further gain of a larger factor. */
const EACH = 1.01;

/** Idle fraction of the device above which the rule `batch-size` applies instead. */
const IDLE = 0.3;

/** Proposes the batch with the largest gain that fits in memory if the device is busy and a step has fixed costs. */
export const largerBatch = rule("larger-batch", ["device", "memory", "memoryLimit"], (context) => {
  const { device, memory, memoryLimit, parts, settings } = context;
  const { launch, update } = fixedCost(context);
  if (1 - (device - launch) / parts.fed >= IDLE) return null;
  const best = bestLargerStep(context, EACH);
  if (best === null) return null;
  const { factor, gain, limit } = best;
  const from = settings.loader.batchSize;
  return {
    message: `Memory allows a batch ${factor} times as large${trainingChanges(settings)}`,
    evidence: [
      { label: "peak memory", value: `${percent(memory.peak / memoryLimit)} of the limit`, where: "memory" },
      { label: "kernel launches", value: launch === 0 ? "–" : ms(launch), where: "bottleneck" },
      { label: "update", value: ms(update), where: "steps" },
    ],
    changes: [{ path: "loader.batchSize", from, to: from * factor }],
    gain,
    reasoning:
      `a batch ${factor} times as large takes ${ms(best.device)} on the device instead of ${ms(device)}, and ` +
      `the host's ${ms(best.host)} once for all its samples${limit}`,
  };
});
