import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { fixedCost, trainingChanges } from "./fixed_cost.ts";
import { bestLargerStep } from "./larger_step.ts";

/** Above this busy fraction the device has no room for a larger batch. */
const USED = 0.7;

/** Minimum further gain of a larger factor. */
const EACH = 1.1;

/** Proposes a larger batch if the device is idle, or launching kernels, for much of a step. */
export const batchSize = rule("batch-size", ["device", "model"], (context) => {
  const { device, parts, settings } = context;
  const { host, launch, update } = fixedCost(context);
  const used = (device - launch) / parts.fed;
  if (used > USED) return null;
  const from = settings.loader.batchSize;
  const best = bestLargerStep(context, EACH);
  if (best === null) return null;
  const { factor, gain, limit } = best;
  return {
    message: `The device is busy for ${percent(used)} of a step: use a larger batch${trainingChanges(settings)}`,
    evidence: [
      { label: "host, between phases", value: `${ms(host)} of ${ms(parts.step)}`, where: "steps" },
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
