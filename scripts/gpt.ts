/**
 * A GPT on text, with tiled attention, mixed precision and sinks, separately and together.
 *
 *     deno run -A scripts/gpt.ts                              # 4 layers on the text stand-in
 *     deno run -A scripts/gpt.ts data.file=shakespeare.txt    # on a text of yours
 *     deno run -A scripts/gpt.ts layers=12 heads=12 width=768 context=1024 loader.batchSize=4   # the size of GPT-2
 */
import { adamW, compose, crossEntropy, gpt, run, scenario, text, z } from "../mod.ts";

export default scenario({
  name: "gpt",
  params: {
    layers: z.coerce.number().default(4).describe("transformer blocks"),
    heads: z.coerce.number().default(4).describe("heads of attention, which divide the width"),
    width: z.coerce.number().default(128).describe("features of a token"),
    context: z.coerce.number().default(128).describe("tokens in a sequence"),
  },
  model: ({ layers, heads, width, context }, { classes }) =>
    gpt({ layers, heads, width, context, vocabulary: classes }),
  loss: crossEntropy(),
  optimizer: adamW({ learningRate: 1e-3, weightDecay: 0.1 }),
  data: ({ context }) => text({ context }),
  loader: { batchSize: 32, prefetch: 2 },
  compile: { attention: "composed" },
  measure: { steps: 10, skip: 3, rounds: 8 },
  variants: {
    baseline: {},
    tiled: { compile: { attention: "tiled" } },
    amp: { amp: "O2" },
    sink: { sink: 10 },
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
