/**
 * Difficulty of the stand-in for CIFAR-10: a linear classifier cannot learn it, but a small residual network can.
 *
 *     deno run -A scripts/standin.ts --variants linear --steps 4700      # three epochs of 50,000 images
 *     deno run -A scripts/standin.ts --variants resnet20 --steps 400
 */
import {
  cifar10,
  crossEntropy,
  flatten,
  linear,
  resnet,
  run,
  scenario,
  sequential,
  sgd,
  transforms as t,
} from "../mod.ts";

export default scenario({
  name: "standin",
  model: resnet({ depth: 20, classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9, weightDecay: 1e-4 }),
  data: cifar10({ transforms: [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")] }),
  loader: { batchSize: 32, numWorkers: 1 },
  measure: { steps: 400, skip: 3, rounds: 1, aa: false },
  evaluate: { every: 1 },
  variants: {
    resnet20: {},
    linear: {
      model: sequential(flatten(), linear(10)),
      optimizer: { learningRate: 1e-3 },
      data: { transforms: [t.normalize("cifar10")] },
    },
  },
});

if (import.meta.main) await run();
