/**
 * A residual network on JPEG files. The baseline is written as many are: it decodes on the main thread and reads the loss in
 * each step. The variants take that away, separately and together.
 *
 *     deno run -A scripts/resnet.ts                                # on a stand-in for photos, drawn once
 *     deno run -A scripts/resnet.ts --data photos                  # on folders of images, one for each class
 *     deno run -A scripts/resnet.ts depth=50 image=224             # the network for ImageNet, at full size
 */
import { compose, crossEntropy, imageFolder, resnet, run, scenario, sgd, transforms as t, z } from "../mod.ts";

export default scenario({
  name: "resnet",
  params: {
    depth: z.coerce.number().default(8).describe(
      "layers: 8, 14, 20, 32, 44, 56 (CIFAR), or 18, 34, 50, 101 (ImageNet)",
    ),
    image: z.coerce.number().default(32).describe("height and width to which the images are cropped and resized"),
    classes: z.coerce.number().default(10).describe("classes; those of the stand-in by default"),
  },
  model: ({ depth, classes }) => resnet({ depth, classes }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9, weightDecay: 1e-4 }),
  data: ({ image }) =>
    imageFolder({
      // Resized first, so that the cache holds small images
      transforms: [
        t.resize([image + 8, image + 8]),
        t.randomCrop(image),
        t.randomHorizontalFlip(),
        t.normalize("imagenet"),
      ],
    }),
  loader: { batchSize: 32, numWorkers: 0 },
  monitor: "step",
  measure: { steps: 5, rounds: 10 },
  variants: {
    baseline: {},
    workers: { loader: { numWorkers: 2, prefetch: 4 } },
    cache: { data: { cache: { in: "memory", after: 1, fill: true } } },
    lossPerBlock: { monitor: "block" },
    amp: { amp: "O2" },
    sink: { sink: 5 },
    all: compose("workers", "cache", "lossPerBlock", "amp", "sink"),
  },
  adapters: {
    // Kernels run on the CPU: small batches, and the variants that differ there
    software: {
      loader: { batchSize: 8 },
      optimizer: { learningRate: 0.025 }, // in proportion to the batch
      measure: { steps: 3, maxSkip: 6 },
      variants: ["baseline", "workers", "cache", "lossPerBlock", "all"],
    },
  },
});

if (import.meta.main) await run();
