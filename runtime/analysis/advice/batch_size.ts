import { bytesOfBatch } from "../../compile/budget.ts";
import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { fixedCost, gainOfBatch, mostSamples, trainingChanges } from "./fixed_cost.ts";

/** A device that does less with its time than this has room for more samples in a step. */
const USED = 0.7;

/** Larger ones train another way. */
const FACTORS = [2, 4, 8];

/** A further doubling has to bring so much. */
const EACH = 1.1;

/** Takes more samples in a step where the device is idle, or launching, for much of it. */
export const batchSize = rule("batch-size", ["device", "model"], (context) => {
  const { device, memory, memoryLimit, parts, settings } = context;
  const { host, launch } = fixedCost(context);
  const used = (device - launch) / parts.fed;
  if (used > USED) return null;
  const from = settings.loader.batchSize;
  const fits = (factor: number) =>
    factor <= mostSamples(context) &&
    (memoryLimit === null || memory === null || bytesOfBatch(memory, factor) <= memoryLimit);
  const of = (factor: number) => gainOfBatch(parts, host + launch, factor);
  let factor = 1;
  for (const next of FACTORS) if (fits(next) && of(next).gain >= of(factor).gain * EACH) factor = next;
  if (factor === 1) return null;
  const { gain, limit } = of(factor);
  return {
    message: `The device works for ${percent(used)} of a step: take more samples in each${trainingChanges(settings)}`,
    evidence: [
      { label: "host, between phases", value: `${ms(host)} of ${ms(parts.step)}`, where: "steps" },
      { label: "launches of kernels", value: launch === 0 ? "–" : ms(launch), where: "bottleneck" },
    ],
    changes: [{ path: "loader.batchSize", from, to: from * factor }],
    gain,
    reasoning:
      `${ms(host + launch)} of a step do not grow with the batch, ${ms(parts.step - host - launch)} do: with ` +
      `${factor} times the samples the former fall on ${factor} times as many${limit}`,
  };
});
