/**
 * One GPT in eight variants that trade memory for time: batch, recomputation, gradient accumulation, tiled attention and
 * mixed precision.
 *
 *     deno run -A scripts/memory.ts --dry-run                 # the memory of each, without a step
 *     deno run -A scripts/memory.ts --report out/             # times, losses and memory over the step
 *     deno run -A scripts/memory.ts context=1024 layers=12 heads=12 width=768   # the size of GPT-2
 */
import { adamW, compose, crossEntropy, gpt, run, scenario, text, z } from "../mod.ts";

export default scenario({
  name: "memory",
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
  loader: { batchSize: 8 },
  compile: { attention: "composed" },
  measure: { steps: 5, skip: 3, rounds: 8 },
  variants: {
    baseline: {},
    half: { loader: { batchSize: 4 } },
    accumulate: { loader: { batchSize: 2 }, accumulate: 4 }, // as many samples in a step as the baseline
    recompute: { recompute: "blocks" },
    tiled: { compile: { attention: "tiled" } },
    amp: { amp: { level: "O2", scaler: { init: 1024 } } }, // few steps, none of them skipped
    "recompute-tiled": compose("recompute", "tiled"),
    all: compose("accumulate", "recompute", "tiled", "amp"),
  },
  adapters: {
    // Kernels run on the CPU: few and short blocks
    software: {
      measure: { steps: 1, maxSkip: 3, rounds: 9, minEffect: 0.03, maxTime: 120 },
    },
  },
});

if (import.meta.main) await run();
