/**
 * MindSpore's published tuning ladder on CIFAR-10, found by `--tune`. The start is slow on purpose: one worker, slow files,
 * transforms that convert layouts and types back and forth in separate passes, a readback of each loss, no sink and no AMP.
 * Tacho finds changes, measures each against the previous settings, and keeps what is faster on this machine. The network is
 * small, so that even on a software adapter data loading takes as long as training.
 *
 *     deno run -A scripts/tuning_ladder.ts
 *     deno run -A scripts/tuning_ladder.ts --tune-time 120 read=0
 */
import { cifar10, crossEntropy, mlp, run, scenario, sgd, transforms as t, z } from "../mod.ts";

export default scenario({
  name: "tuning-ladder",
  params: { read: z.coerce.number().min(0).default(1).describe("delay for each sample read, in ms") },
  model: mlp({ hidden: [128], classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01, momentum: 0.9 }),
  data: ({ read }) =>
    cifar10({
      transforms: [
        t.chwToHwc(),
        t.toF32(),
        t.randomCrop(32, { padding: 4 }),
        t.hwcToChw(),
        t.toU8(),
        t.randomHorizontalFlip(),
        t.toF32(),
        t.cutout(8),
        t.toU8(),
        t.chwToHwc(),
        t.toF32(),
        t.rescale(1 / 255),
        t.normalize("cifar10"),
      ],
      fuse: false,
      delay: { read },
    }),
  loader: { batchSize: 128, numWorkers: 1, prefetch: 2 },
  monitor: "step",
  measure: { steps: 10, skip: 5, rounds: 8 },
});

if (import.meta.main) await run({ args: ["--tune", "--tune-time", "420", ...Deno.args] });
