/**
 * A multilayer perceptron on pixels. It is so small that the baseline, which reads the loss of each step, mostly waits; with
 * `hidden=2048` matrix products dominate.
 *
 *     deno run -A scripts/mlp.ts
 *     deno run -A scripts/mlp.ts hidden=256,2048 amp=O0,O2
 */
import { adamW, cifar10, crossEntropy, flatten, mlp, run, scenario, sequential, transforms as t, z } from "../mod.ts";

export default scenario({
  name: "mlp",
  params: { hidden: z.coerce.number().default(128).describe("units in each of the two hidden layers") },
  model: ({ hidden }) => sequential(flatten(), mlp({ hidden: [hidden, hidden], classes: 10 })),
  loss: crossEntropy(),
  optimizer: adamW({ learningRate: 1e-3 }),
  data: cifar10({ transforms: [t.normalize("cifar10")] }),
  loader: { batchSize: 128 },
  monitor: "step",
  measure: { steps: 10, skip: 5, rounds: 12 },
  variants: {
    baseline: {},
    sink: { monitor: "block", sink: 10 },
    amp: { amp: "O2" },
  },
  adapters: { software: { loader: { batchSize: 32 } } },
});

if (import.meta.main) await run();
