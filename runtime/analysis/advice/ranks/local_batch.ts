import { mostSamples, trainingChanges } from "../fixed_cost.ts";
import { ms, percent } from "../evidence.ts";
import { rule } from "../rule.ts";
import { largerStep } from "../larger_step.ts";

/** Proposes a batch twice as large, where the all-reduce takes much of the step: its time does not grow with the batch. */
export const largerLocalBatch = rule("ranks-batch", ["allReduce"], (context) => {
  const { allReduce: { own, ranks }, device, parts, settings } = context;
  if (mostSamples(context) < 2) return null;
  const best = largerStep(context, { batch: 2 });
  if (best === null || device === null) return null;
  const { batchSize } = settings.loader;
  return {
    message: `The all-reduce takes ${percent(own / parts.step)} of the step: use a larger batch${
      trainingChanges(settings)
    }`,
    evidence: [{ label: "copies and network, per step", value: ms(own), where: "ranks" }],
    changes: [{ path: "loader.batchSize", from: batchSize, to: 2 * batchSize }],
    gain: best.gain,
    reasoning:
      `${ms(own)} and the host's ${ms(Math.max(0, best.host - own))} are spread over ${2 * batchSize / ranks.size} ` +
      `instead of ${batchSize / ranks.size} samples of each rank, which take ${
        ms(best.device)
      } on the device instead ` +
      `of ${ms(device)}${best.limit}`,
  };
});
