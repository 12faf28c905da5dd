/**
 * MindSpore's experiment: a training that waits for its data, and what helps it: several workers in place of one, uniform
 * transforms in one pass in place of those that go to and fro between layouts and number types, a pass each, and sinks,
 * which keep batches on the device. Reading is slowed down, as if the files were far away, so that there is something to
 * wait for.
 *
 *     deno run -A scripts/input_pipeline.ts
 *     deno run -A scripts/input_pipeline.ts read=0 --variants mixed,all
 */
import { cifar10, compose, crossEntropy, lenet, run, scenario, sgd, transforms as t, z } from "../mod.ts";

const MIXED = [
  t.chwToHwc(),
  t.toF32(),
  t.randomCrop(32, { padding: 4 }),
  t.hwcToChw(),
  t.toU8(),
  t.randomHorizontalFlip(),
  t.chwToHwc(),
  t.normalize("cifar10"),
];
const UNIFORM = [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")];

export default scenario({
  name: "input-pipeline",
  params: { read: z.coerce.number().min(0).default(1).describe("milliseconds slept for each sample that is read") },
  model: lenet({ classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01, momentum: 0.9 }),
  data: ({ read }) => cifar10({ transforms: MIXED, fuse: false, delay: { read } }),
  loader: { batchSize: 64, numWorkers: 1, prefetch: 2 },
  measure: { steps: 10, skip: 10, rounds: 8 },
  variants: {
    mixed: {},
    workers: { loader: { numWorkers: 2 } },
    uniform: { data: { transforms: UNIFORM, fuse: true } },
    sink: { sink: 10 },
    all: compose("workers", "uniform", "sink"),
  },
});

if (import.meta.main) await run({ args: ["--pipeline", ...Deno.args] });
