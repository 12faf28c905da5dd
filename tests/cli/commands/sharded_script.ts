import { crossEntropy, mlp, run, scenario, sgd, syntheticImages } from "../../../mod.ts";

export default scenario({
  name: "sharded",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64 }),
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2 },
  sweep: { "loader.batchSize": [4, 8, 16] },
});

if (import.meta.main) await run();
