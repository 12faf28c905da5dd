import { mostSamples, trainingChanges } from "../fixed_cost.ts";
import { ms, percent } from "../evidence.ts";
import { fits } from "../memory_bound.ts";
import { rule } from "../rule.ts";
import { shortened } from "../step_parts.ts";

/** Proposes a batch twice as large, where the all-reduce takes much of the step: its time does not grow with the batch. */
export const largerLocalBatch = rule("ranks-batch", ["allReduce"], (context) => {
  const { allReduce: { own, ranks }, parts, settings } = context;
  if (!fits(context, { batch: 2 }) || mostSamples(context) < 2) return null;
  const { batchSize } = settings.loader;
  const { gain, limit } = shortened(parts, own / 2);
  return {
    message: `The all-reduce takes ${percent(own / parts.step)} of the step: use a larger batch${
      trainingChanges(settings)
    }`,
    evidence: [{ label: "copies and network, per step", value: ms(own), where: "ranks" }],
    changes: [{ path: "loader.batchSize", from: batchSize, to: 2 * batchSize }],
    gain,
    reasoning:
      `${ms(own)} are spread over ${2 * batchSize / ranks.size} instead of ${batchSize / ranks.size} samples of ` +
      `each rank${limit}`,
  };
});
