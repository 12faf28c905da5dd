/**
 * A small GPT that learns a text by its characters. Throughput is in tokens per second.
 *
 *     deno run -A examples/11_text.ts
 *     deno run -A examples/11_text.ts data.file=README.md data.tokenizer=bytes   # your own text
 *     deno run -A examples/11_text.ts layers=1,2,4                               # depths in turn
 */
import { adamW, crossEntropy, gpt, run, scenario, text, z } from "../mod.ts";

export default scenario({
  name: "text",
  params: {
    context: z.coerce.number().default(64).describe("tokens of an input"),
    layers: z.coerce.number().default(2).describe("transformer blocks"),
    width: z.coerce.number().default(64).describe("features of a token"),
  },
  // `classes` is the vocabulary of the text
  model: ({ context, layers, width }, { classes }) => gpt({ layers, heads: 4, width, context, vocabulary: classes }),
  loss: crossEntropy(),
  optimizer: adamW({ learningRate: 3e-3 }),
  data: ({ context }) => text({ context }), // without a file: a stand-in, drawn once
  loader: { batchSize: 16 },
  measure: { steps: 5, skip: 3, rounds: 8 },
  variants: { baseline: {}, shallow: { params: { layers: 1 } } },
});

if (import.meta.main) await run();
