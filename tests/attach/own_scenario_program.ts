/** Trains steps of a scenario, and prints how often a step dispatches each kernel by its plan. */
import { createTrainer, crossEntropy, mlp, scenario, sgd, syntheticImages } from "../../mod.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { Device } from "../../runtime/device/device.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";

const definition = scenario({
  name: "own",
  model: mlp({ classes: 3, hidden: [7] }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
  data: syntheticImages({ channels: 1, height: 5, width: 5, classes: 3, length: 64 }),
  loader: { batchSize: 8 },
});

{
  await using trainer = await createTrainer(definition);
  for (let i = 0; i < 10; i++) await trainer.step();
}
const { config } = resolveScenario(definition).variants[0]!;
const device = await Device.open();
const { plan } = compileVariant(config, describeDataset(config.data), device.traits);
const kernels = plan.segments.flatMap(({ dispatches }) => dispatches.map(({ kernel }) => kernel.name));
console.log(
  JSON.stringify(Object.entries(Object.groupBy(kernels, (name) => name)).map(([name, own]) => [name, own!.length])),
);
device.destroy();
