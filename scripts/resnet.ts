/**
 * A residual network on images, with workers, sinks and mixed precision, separately and together.
 *
 *     deno run -A scripts/resnet.ts                              # ResNet-20 on the stand-in for CIFAR-10
 *     deno run -A scripts/resnet.ts --data cifar-10-batches-bin  # on the real data set
 *     deno run -A scripts/resnet.ts depth=50 image=224 --max-time 3600  # the ImageNet network on synthetic images
 */
import {
  cifar10,
  compose,
  crossEntropy,
  resnet,
  run,
  scenario,
  sgd,
  syntheticImages,
  transforms as t,
  z,
} from "../mod.ts";

export default scenario({
  name: "resnet",
  params: {
    depth: z.coerce.number().default(20).describe("layers: 20, 32, 44, 56 (CIFAR), or 18, 34, 50, 101 (ImageNet)"),
    image: z.coerce.number().default(32).describe(
      "height and width; 32 uses CIFAR-10, other sizes use synthetic images",
    ),
    stem: z.enum(["auto", "cifar", "imagenet"]).default("auto").describe("first layers; auto chooses by depth"),
  },
  model: ({ depth, image, stem }) =>
    resnet({ depth, classes: image === 32 ? 10 : 1000, ...(stem === "auto" ? {} : { stem }) }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9, weightDecay: 1e-4 }),
  data: ({ image }) =>
    image === 32
      ? cifar10({ transforms: [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")] })
      : syntheticImages({
        height: image,
        width: image,
        classes: 1000,
        length: 10000,
        transforms: [t.randomHorizontalFlip(), t.normalize("imagenet")],
      }),
  loader: { batchSize: 32, numWorkers: 0, prefetch: 2 },
  measure: { steps: 5, skip: 3, rounds: 8 },
  variants: {
    baseline: {},
    workers: { loader: { numWorkers: 2 } },
    sink: { sink: 5 },
    amp: { amp: "O2" },
    all: compose("workers", "sink", "amp"),
    batch16: { loader: { batchSize: 16 } },
  },
  adapters: {
    // Kernels run on the CPU: small batches and blocks, and many of them
    software: {
      loader: { batchSize: 8 },
      optimizer: { learningRate: 0.025 }, // in proportion to the batch
      measure: { steps: 2, maxSkip: 6, rounds: 16, minEffect: 0.03, maxTime: 60 },
      variants: ["baseline", "amp", "batch16"],
    },
  },
});

if (import.meta.main) await run();
