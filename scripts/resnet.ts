/**
 * A residual network on JPEG files. The baseline is written as many are: it decodes on the main thread and reads the loss
 * after each step. The variants change that, separately and together.
 *
 *     deno run -A scripts/resnet.ts                         # on a stand-in for photos, drawn once
 *     deno run -A scripts/resnet.ts --data photos           # on your photos, in one folder per class
 *     deno run -A scripts/resnet.ts depth=50 image=224      # the network for ImageNet, at its full size
 */
import { compose, crossEntropy, imageFolder, resnet, run, scenario, sgd, transforms as t, z } from "../mod.ts";

export default scenario({
  name: "resnet",
  params: {
    depth: z.coerce.number().default(8).describe("layers: 8, 14, 20, 32, 44, 56, or 18, 34, 50, 101 of ImageNet"),
    image: z.coerce.number().default(64).describe("height and width of the images that the network sees"),
    classes: z.coerce.number().default(10).describe("classes; the stand-in has 10"),
  },
  model: ({ depth, classes }) => resnet({ depth, classes, stem: "imagenet" }),
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
  measure: { steps: 4, rounds: 12 },
  variants: {
    baseline: {},
    workers: { loader: { numWorkers: 2, prefetch: 4 } },
    cache: { data: { cache: { in: "memory", after: 1, fill: true } } },
    lossPerBlock: { monitor: "block" },
    sink: { sink: 4 },
    amp: { amp: "O2" },
    all: compose("workers", "cache", "lossPerBlock", "sink"), // amp would change the losses
  },
  adapters: {
    // Kernels run on the CPU: small batches, and the variants that differ there
    software: {
      loader: { batchSize: 8 },
      optimizer: { learningRate: 0.025 }, // in proportion to the batch
      measure: { maxSkip: 6 },
      variants: ["baseline", "workers", "cache", "all"],
    },
  },
});

if (import.meta.main) await run();
