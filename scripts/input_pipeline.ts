/**
 * A training that waits for its data, after an experiment of MindSpore, and three remedies: two workers instead of one,
 * uniform transforms fused into one pass instead of transforms that convert layouts and types back and forth, and sinks,
 * which keep batches on the device. A delay slows down reading, like remote files.
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
  params: { read: z.coerce.number().min(0).default(2).describe("delay for each sample read, in ms") },
  model: lenet({ classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01, momentum: 0.9 }),
  data: ({ read }) => cifar10({ transforms: MIXED, fuse: false, delay: { read } }),
  loader: { batchSize: 32, numWorkers: 1, prefetch: 2 },
  measure: { steps: 10, skip: 10, rounds: 12 },
  variants: {
    mixed: {},
    workers: { loader: { numWorkers: 2 } },
    uniform: { data: { transforms: UNIFORM, fuse: true } },
    sink: { sink: 10 },
    all: compose("workers", "uniform", "sink"),
  },
});

if (import.meta.main) await run({ args: ["--pipeline", ...Deno.args] });
