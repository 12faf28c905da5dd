/**
 * A multilayer perceptron on pixels, dominated by matrix products.
 *
 *     deno run -A scripts/mlp.ts
 *     deno run -A scripts/mlp.ts hidden=256,2048 amp=O0,O2
 */
import { adamW, cifar10, crossEntropy, flatten, mlp, run, scenario, sequential, transforms as t, z } from "../mod.ts";

export default scenario({
  name: "mlp",
  params: { hidden: z.coerce.number().default(512).describe("units in each of the two hidden layers") },
  model: ({ hidden }) => sequential(flatten(), mlp({ hidden: [hidden, hidden], classes: 10 })),
  loss: crossEntropy(),
  optimizer: adamW({ learningRate: 1e-3 }),
  data: cifar10({ transforms: [t.normalize("cifar10")] }),
  loader: { batchSize: 128 },
  measure: { steps: 20, skip: 5, rounds: 8 },
  variants: {
    baseline: {},
    sink: { sink: 10 },
    amp: { amp: "O2" },
  },
});

if (import.meta.main) await run();
