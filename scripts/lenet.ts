/**
 * The sample network of Sony's Neural Network Console: two convolutions and two affine layers with tanh, here on
 * images of CIFAR-10. It is so small that overhead outside the kernels dominates.
 *
 *     deno run -A scripts/lenet.ts
 *     deno run -A scripts/lenet.ts sink=0,10,50 --variants sink=0,sink=50
 */
import {
  adam,
  cifar10,
  compose,
  conv2d,
  crossEntropy,
  flatten,
  linear,
  maxPool2d,
  run,
  scenario,
  sequential,
  tanh,
  transforms as t,
} from "../mod.ts";

export default scenario({
  name: "lenet",
  model: sequential({
    Convolution: conv2d(16, { kernel: 5 }),
    MaxPooling: maxPool2d({ kernel: 2 }),
    Tanh: tanh(),
    Convolution_2: conv2d(8, { kernel: 5 }),
    MaxPooling_2: maxPool2d({ kernel: 2 }),
    Tanh_2: tanh(),
    flatten: flatten(),
    Affine: linear(10),
    Tanh_3: tanh(),
    Affine_2: linear(10),
  }),
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
