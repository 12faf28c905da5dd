/**
 * Difficulty of the text stand-in: pairs of characters do not predict it, but a small GPT can learn it.
 *
 *     deno run -A scripts/text_standin.ts
 *     deno run -A scripts/text_standin.ts --variants gpt --steps 2000
 */
import { adamW, crossEntropy, embedding, gpt, run, scenario, text } from "../mod.ts";

const context = 64;

export default scenario({
  name: "text-standin",
  model: (_, { classes: vocabulary }) => gpt({ layers: 2, heads: 4, width: 64, context, vocabulary }),
  loss: crossEntropy(),
  optimizer: adamW({ learningRate: 3e-3 }),
  data: text({ context }),
  loader: { batchSize: 16, numWorkers: 1 },
  measure: { steps: 600, skip: 3, rounds: 1, aa: false },
  evaluate: { every: 1 },
  variants: {
    // Row i of the embedding has the logits of what follows character i
    bigram: { model: (_, { classes }) => embedding(classes, classes), optimizer: { learningRate: 3e-2 } },
    gpt: {},
  },
});

if (import.meta.main) await run();
