/**
 * MindSpore's experiment: a training that waits for its data, and what helps it. First the transforms: those that go to
 * and fro between layouts and number types become uniform. Then several workers in place of one, and at last sinks, which
 * keep batches on the device.
 *
 *     deno run -A scripts/input_pipeline.ts
 *     deno run -A scripts/input_pipeline.ts data.delay.read=0.5 --variants mixed,all
 */
import { cifar10, compose, crossEntropy, lenet, run, scenario, sgd, transforms as t } from "../mod.ts";

const MIXED = [
  t.randomCrop(32, { padding: 4 }),
  t.rescale(1 / 255),
  t.toLayout("chw"),
  t.toType("u8"),
  t.randomHorizontalFlip(),
  t.toLayout("hwc"),
  t.normalize("cifar10"),
];
const UNIFORM = [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")];

export default scenario({
  name: "input-pipeline",
  model: lenet({ classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01, momentum: 0.9 }),
  data: cifar10({ transforms: MIXED }),
  loader: { batchSize: 64, numWorkers: 1, prefetch: 2 },
  measure: { steps: 50, skip: 10, rounds: 3 },
  variants: {
    mixed: {},
    uniform: { data: { transforms: UNIFORM } },
    workers: { loader: { numWorkers: 2 } },
    sink: { sink: 10 },
    all: compose("uniform", "workers", "sink"),
  },
});

if (import.meta.main) await run({ args: ["--pipeline", ...Deno.args] });
