import { ms, percent } from "./evidence.ts";
import { fitsBatch } from "./memory_bound.ts";
import { rule } from "./rule.ts";
import { fixedCost, gainOfBatch, mostSamples, trainingChanges } from "./fixed_cost.ts";

/** Largest factor; a larger one changes training too much. */
const MOST = 8;

/** Idle fraction of the device above which the rule `batch-size` applies instead. */
const IDLE = 0.3;

/** Proposes the largest batch that fits in memory if the device is busy and a step has fixed costs. */
export const largerBatch = rule("larger-batch", ["device", "memory", "memoryLimit"], (context) => {
  const { device, memory, memoryLimit, parts, settings } = context;
  const { launch, sum } = fixedCost(context);
  if (1 - (device - launch) / parts.fed >= IDLE) return null;
  const from = settings.loader.batchSize;
  const most = Math.min(MOST, mostSamples(context));
  let factor = 1;
  while (factor * 2 <= most && fitsBatch(memory, factor * 2, memoryLimit)) factor *= 2;
  if (factor === 1) return null;
  const { gain, limit } = gainOfBatch(parts, sum, factor);
  return {
    message: `Memory allows a batch ${factor} times as large${trainingChanges(settings)}`,
    evidence: [
      { label: "peak memory", value: `${percent(memory.peak / memoryLimit)} of the limit`, where: "memory" },
      { label: "costs independent of the batch size", value: ms(sum), where: "steps" },
    ],
    changes: [{ path: "loader.batchSize", from, to: from * factor }],
    gain,
    reasoning: `${ms(sum)} of a step of ${ms(parts.step)} are spread over ${factor} times as many samples${limit}`,
  };
});
