/** A training so small that it takes a second or so. */
import { crossEntropy, mlp, run, scenario, sgd, syntheticImages } from "../../../mod.ts";
import "./hold.ts";

export default scenario({
  name: "trained",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
  data: syntheticImages({ height: 4, width: 4, channels: 1, classes: 4, length: 512 }),
  loader: { batchSize: 8 },
  measure: { steps: 4, skip: 2, maxSkip: 2, rounds: 4, aa: false },
  variants: { baseline: {}, sink: { sink: 2 } },
});

if (import.meta.main) await run();
