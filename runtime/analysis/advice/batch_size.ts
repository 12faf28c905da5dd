import type { Finding } from "../../result/finding.ts";
import { memoryOfBatch } from "./batch_memory.ts";
import { ms, percent, worthwhile } from "./evidence.ts";
import { fixedCost, gainOfBatch, mostSamples, trainingChanges } from "./fixed_cost.ts";
import { type AdviceInput, settingsOf } from "./input.ts";
import { partsOf } from "./step_parts.ts";

/** A device that does less with its time than this has room for more samples in a step. */
const USED = 0.7;

/** Larger ones train another way. */
const FACTORS = [2, 4, 8];

/** A further doubling has to bring so much. */
const EACH = 1.1;

/** Takes more samples in a step where the device is idle, or launching, for much of it. */
export function batchSize(input: AdviceInput): Finding | null {
  const { variant, memoryLimit } = input;
  const settings = settingsOf(variant);
  const parts = settings === null ? null : partsOf(input, settings);
  if (settings === null || parts === null || parts.device === null || settings.model === null) return null;
  const { host, launch } = fixedCost(input, parts);
  const used = (parts.device - launch) / parts.fed;
  if (used > USED) return null;
  const { memory } = variant;
  const from = settings.loader.batchSize;
  const fits = (factor: number) =>
    factor <= mostSamples(input, from) &&
    (memoryLimit === null || memory === null || memoryOfBatch(memory, factor) <= memoryLimit);
  const of = (factor: number) => gainOfBatch(parts, host + launch, factor);
  let factor = 1;
  for (const next of FACTORS) if (fits(next) && of(next).gain >= of(factor).gain * EACH) factor = next;
  if (factor === 1) return null;
  const { gain, limit } = of(factor);
  return worthwhile({
    kind: "batch-size",
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
  });
}
