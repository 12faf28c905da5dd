/**
 * From "it is slow" to "this made it faster": MindSpore's published ladder on CIFAR-10, climbed by `--tune`. The start is
 * bad on purpose: one worker, files that are far away, transforms that go to and fro between layouts and number types
 * with a pass over the image for each, each step's loss read back, no sink and no AMP. Tacho finds what to change, measures
 * each change against the settings below it, and keeps what is faster on this machine. The net is small, so that training
 * it is no more work than making its batches, on a software adapter too.
 *
 *     deno run -A scripts/tuning_ladder.ts
 *     deno run -A scripts/tuning_ladder.ts --tune-time 120 read=0
 */
import { cifar10, crossEntropy, mlp, run, scenario, sgd, transforms as t, z } from "../mod.ts";

export default scenario({
  name: "tuning-ladder",
  params: { read: z.coerce.number().min(0).default(1).describe("milliseconds slept for each sample that is read") },
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
