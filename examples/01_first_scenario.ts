/**
 * A first scenario: a model, its data, how it is trained, and what is to be compared.
 *
 *     deno run -A examples/01_first_scenario.ts
 *     deno run -A examples/01_first_scenario.ts --help      # every setting, with its default
 *     deno run -A examples/01_first_scenario.ts --dry-run   # size, work and memory; no device is opened
 */
import { crossEntropy, lenet, run, scenario, sgd, syntheticImages } from "../mod.ts";

export default scenario({
  name: "first",
  model: lenet({ classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05, momentum: 0.9 }),
  // Random images with a weak trace of their class. `cifar10()` reads real ones.
  data: syntheticImages({ channels: 1, height: 28, width: 28, classes: 10, length: 2000 }),
  loader: { batchSize: 32 },
  // Each variant is run in 3 blocks of 10 steps, in turns with the others. Its first 2 steps do not count.
  measure: { steps: 10, skip: 2, rounds: 3 },
  // A variant says what is different. The first is what the others are compared with.
  variants: {
    baseline: {},
    monitored: { monitor: "step" }, // reads each loss back at its step, as a loop that prints it does
    sink: { sink: 10 }, // hands 10 steps to the device at once
  },
});

// Data workers import this file too; they must not run it.
if (import.meta.main) await run();
