/**
 * LeNet-5 on 32 x 32 images: a network so small that overhead outside the kernels dominates.
 *
 *     deno run -A scripts/lenet.ts
 *     deno run -A scripts/lenet.ts sink=0,10,50 --variants sink=0,sink=50
 */
import { adam, cifar10, compose, crossEntropy, lenet, run, scenario, transforms as t } from "../mod.ts";

export default scenario({
  name: "lenet",
  model: lenet({ classes: 10 }),
  loss: crossEntropy(),
  optimizer: adam({ learningRate: 1e-3 }),
  data: cifar10({ transforms: [t.randomHorizontalFlip(), t.normalize("cifar10")] }),
  loader: { batchSize: 64 },
  measure: { steps: 30, skip: 10, rounds: 8 },
  variants: {
    baseline: {},
    monitored: { monitor: "step" },
    workers: { loader: { numWorkers: 2 } },
    sink: { sink: 10 },
    amp: { amp: "O2" },
    all: compose("workers", "sink", "amp"),
  },
});

if (import.meta.main) await run();
