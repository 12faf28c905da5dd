/**
 * A vision transformer on images, with tiled attention, mixed precision and sinks, separately and together.
 *
 *     deno run -A scripts/vit.ts                                  # 6 layers on the stand-in for CIFAR-10
 *     deno run -A scripts/vit.ts layers=12 heads=6 width=384       # a larger network
 *     deno run -A scripts/vit.ts size=b_16 image=224 --max-time 3600  # the published network on synthetic images
 */
import {
  adamW,
  cifar10,
  compose,
  crossEntropy,
  run,
  scenario,
  syntheticImages,
  transforms as t,
  vit,
  z,
} from "../mod.ts";

export default scenario({
  name: "vit",
  params: {
    size: z.enum(["own", "b_16", "b_32", "l_16", "l_32", "h_14"]).default("own").describe(
      "own: the four settings below; else a published network",
    ),
    patch: z.coerce.number().default(4).describe("height and width of a patch"),
    width: z.coerce.number().default(192).describe("features of each token"),
    layers: z.coerce.number().default(6).describe("encoder layers"),
    heads: z.coerce.number().default(3).describe("heads of attention"),
    image: z.coerce.number().default(32).describe(
      "height and width; 32 uses CIFAR-10, other sizes use synthetic images",
    ),
  },
  model: ({ size, patch, width, layers, heads, image }) => {
    const classes = image === 32 ? 10 : 1000;
    return size === "own" ? vit({ patch, width, layers, heads, classes }) : vit({ size, classes });
  },
  loss: crossEntropy({ labelSmoothing: 0.1 }),
  optimizer: adamW({ learningRate: 5e-4, weightDecay: 0.05 }),
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
  loader: { batchSize: 64, numWorkers: 0, prefetch: 2 },
  compile: { attention: "composed" },
  measure: { steps: 5, skip: 3, rounds: 8 },
  variants: {
    baseline: {},
    tiled: { compile: { attention: "tiled" } },
    amp: { amp: "O2" },
    sink: { sink: 5 },
    all: compose("tiled", "amp", "sink"),
  },
  adapters: {
    // Kernels run on the CPU: small batches and blocks, and many of them
    software: {
      loader: { batchSize: 4 },
      measure: { steps: 2, maxSkip: 6, rounds: 16, minEffect: 0.03, maxTime: 60 },
      variants: ["baseline", "tiled", "amp"],
    },
  },
});

if (import.meta.main) await run();
