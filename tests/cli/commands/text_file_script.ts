/** A training so small that it takes a second or so, on the text of the file `TACHO_TEXT`. */
import { crossEntropy, lstmLanguageModel, run, scenario, sgd, text } from "../../../mod.ts";

export default scenario({
  name: "text-file",
  model: (_, data) => lstmLanguageModel({ vocabulary: data.classes, width: 4, hidden: 4, layers: 1 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: text({ file: Deno.env.get("TACHO_TEXT") ?? "missing.txt", tokenizer: "characters", context: 4 }),
  loader: { batchSize: 4 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2, opRounds: 1, aa: false },
});

if (import.meta.main) await run();
