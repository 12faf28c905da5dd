/**
 * A MobileNet on images, with workers, sinks and mixed precision, separately and together. Depthwise convolutions read and
 * write much memory for few FLOPs.
 *
 *     deno run -A scripts/mobilenet.ts                            # the small MobileNetV3 on the stand-in for CIFAR-10
 *     deno run -A scripts/mobilenet.ts net=v2,v3_small,v3_large   # the networks compared
 *     deno run -A scripts/mobilenet.ts image=224 --max-time 3600  # the ImageNet network on synthetic images
 */
import {
  cifar10,
  compose,
  crossEntropy,
  mobilenetV2,
  mobilenetV3,
  run,
  scenario,
  sgd,
  syntheticImages,
  transforms as t,
  z,
} from "../mod.ts";

export default scenario({
  name: "mobilenet",
  params: {
    net: z.enum(["v2", "v3_small", "v3_large"]).default("v3_small").describe("network"),
    width: z.coerce.number().default(1).describe("factor on the channels"),
    image: z.coerce.number().default(32).describe(
      "height and width; 32 uses CIFAR-10, other sizes use synthetic images",
    ),
  },
  model: ({ net, width, image }) => {
    const options = image === 32
      ? { classes: 10, width, stem: "cifar" as const }
      : { classes: 1000, width, stem: "imagenet" as const };
    if (net === "v2") return mobilenetV2(options);
    return mobilenetV3({ ...options, size: net === "v3_small" ? "small" : "large" });
  },
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.02, momentum: 0.9, weightDecay: 4e-5 }),
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
    nchw: { compile: { layout: "nchw" } },
  },
  adapters: {
    // Kernels run on the CPU: small batches and blocks, and many of them
    software: {
      params: { width: 0.5 },
      loader: { batchSize: 8 },
      optimizer: { learningRate: 0.005 }, // in proportion to the batch
      measure: { steps: 2, maxSkip: 6, rounds: 16, minEffect: 0.03, maxTime: 60 },
      variants: ["baseline", "amp", "nchw"],
    },
  },
});

if (import.meta.main) await run();
