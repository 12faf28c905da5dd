/**
 * Effect of loader workers, after an experiment of Paddle: a step cannot start before its batch is ready, so the reader cost
 * is part of the batch cost until enough workers load batches while the device works.
 *
 *     deno run -A scripts/num_workers.ts
 *     deno run -A scripts/num_workers.ts loader.numWorkers=0,1,2,4,8 image=96
 */
import { crossEntropy, lenet, run, scenario, sgd, syntheticImages, transforms as t, z } from "../mod.ts";

export default scenario({
  name: "num-workers",
  params: {
    image: z.coerce.number().default(256).describe("height and width of the images before the crop to 32 x 32"),
  },
  model: lenet({ classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01, momentum: 0.9 }),
  data: ({ image }) =>
    syntheticImages({
      height: image,
      width: image,
      classes: 10,
      length: 10000,
      transforms: [t.resize(40), t.randomCrop(32), t.randomHorizontalFlip(), t.normalize("cifar10")],
    }),
  loader: { batchSize: 64, prefetch: 2 },
  measure: { steps: 10, skip: 5, rounds: 8 },
  sweep: { "loader.numWorkers": [0, 1, 2, 4] },
});

if (import.meta.main) await run({ args: ["--pipeline", ...Deno.args] });
