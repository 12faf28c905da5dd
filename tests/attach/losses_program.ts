/** Trains an MLP, and prints its losses with all of their bits. */
import { createTrainer, crossEntropy, mlp, scenario, sgd, syntheticImages } from "../../mod.ts";

await using trainer = await createTrainer(scenario({
  name: "losses",
  model: mlp({ classes: 3, hidden: [7] }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
  data: syntheticImages({ channels: 1, height: 5, width: 5, classes: 3, length: 64 }),
  loader: { batchSize: 8 },
}));
for (let i = 0; i < 8; i++) console.log((await trainer.step()).loss);
