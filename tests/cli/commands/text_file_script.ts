/** Runs a table of logits on the text of the file `TACHO_TEXT`. */
import { embedding, run, scenario, sequential, text } from "../../../mod.ts";

export default scenario({
  name: "text-file",
  model: (_, data) => sequential(embedding(data.classes, data.classes)),
  mode: "infer",
  data: text({ file: Deno.env.get("TACHO_TEXT") ?? "missing.txt", tokenizer: "characters", context: 4 }),
  loader: { batchSize: 4 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2, opRounds: 1, aa: false },
});

if (import.meta.main) await run();
