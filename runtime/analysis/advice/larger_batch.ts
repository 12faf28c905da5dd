import { bytesOfBatch } from "../../compile/budget.ts";
import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { fixedCost, gainOfBatch, mostSamples, trainingChanges } from "./fixed_cost.ts";

/** A batch that changes training more than this is no setting of speed. */
const MOST = 8;

/** Of the memory that there is; the rest is for what is not planned. */
const ROOM = 0.8;

/** A device that is idle for more than this is the matter of another rule. */
const IDLE = 0.3;

/** Takes as many samples in a step as the memory allows, where the device is busy and a step has costs of its own. */
export const largerBatch = rule("larger-batch", ["device", "memory", "memoryLimit"], (context) => {
  const { device, memory, memoryLimit, parts, settings } = context;
  const { host, launch } = fixedCost(context);
  if (1 - (device - launch) / parts.fed >= IDLE) return null;
  const from = settings.loader.batchSize;
  const most = Math.min(MOST, mostSamples(context));
  let factor = 1;
  while (factor * 2 <= most && bytesOfBatch(memory, factor * 2) <= memoryLimit * ROOM) factor *= 2;
  if (factor === 1) return null;
  const { gain, limit } = gainOfBatch(parts, host + launch, factor);
  return {
    message: `Memory allows ${factor} times the samples in a step${trainingChanges(settings)}`,
    evidence: [
      { label: "peak memory", value: `${percent(memory.peak / memoryLimit)} of what there is`, where: "memory" },
      { label: "costs that do not grow with the batch", value: ms(host + launch), where: "steps" },
    ],
    changes: [{ path: "loader.batchSize", from, to: from * factor }],
    gain,
    reasoning: `${ms(host + launch)} of a step of ${ms(parts.step)} fall on ${factor} times as many samples${limit}`,
  };
});
