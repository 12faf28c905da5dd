import { ms, percent } from "./evidence.ts";
import { fitsBatch } from "./memory_bound.ts";
import { rule } from "./rule.ts";
import { fixedCost, gainOfBatch, mostSamples, trainingChanges } from "./fixed_cost.ts";

/** Above this busy fraction the device has no room for a larger batch. */
const USED = 0.7;

/** Factors to try; larger ones change training too much. */
const FACTORS = [2, 4, 8];

/** Minimum further gain of a larger factor. */
const EACH = 1.1;

/** Proposes a larger batch if the device is idle, or launching kernels, for much of a step. */
export const batchSize = rule("batch-size", ["device", "model"], (context) => {
  const { device, memory, memoryLimit, parts, settings } = context;
  const { host, launch, update, sum } = fixedCost(context);
  const used = (device - launch) / parts.fed;
  if (used > USED) return null;
  const from = settings.loader.batchSize;
  const fits = (factor: number) =>
    factor <= mostSamples(context) &&
    (memoryLimit === null || memory === null || fitsBatch(memory, factor, memoryLimit));
  const of = (factor: number) => gainOfBatch(parts, sum, factor);
  let factor = 1;
  for (const next of FACTORS) if (fits(next) && of(next).gain >= of(factor).gain * EACH) factor = next;
  if (factor === 1) return null;
  const { gain, limit } = of(factor);
  return {
    message: `The device is busy for ${percent(used)} of a step: use a larger batch${trainingChanges(settings)}`,
    evidence: [
      { label: "host, between phases", value: `${ms(host)} of ${ms(parts.step)}`, where: "steps" },
      { label: "kernel launches", value: launch === 0 ? "–" : ms(launch), where: "bottleneck" },
      { label: "update", value: ms(update), where: "steps" },
    ],
    changes: [{ path: "loader.batchSize", from, to: from * factor }],
    gain,
    reasoning: `${ms(sum)} of a step do not grow with the batch, ${ms(parts.step - sum)} do: a batch ` +
      `${factor} times as large spreads the former over ${factor} times as many samples${limit}`,
  };
});
