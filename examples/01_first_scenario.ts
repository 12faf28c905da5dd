/**
 * A first scenario: a model, its data, its training, and the variants to compare.
 *
 *     deno run -A examples/01_first_scenario.ts
 *     deno run -A examples/01_first_scenario.ts --help      # all settings with their defaults
 *     deno run -A examples/01_first_scenario.ts --dry-run   # size, work and memory, without opening a device
 */
import { crossEntropy, lenet, run, scenario, sgd, syntheticImages } from "../mod.ts";

export default scenario({
  name: "first",
  model: lenet({ classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05, momentum: 0.9 }),
  // Random images with a weak signal of their class. `cifar10()` reads real images.
  data: syntheticImages({ channels: 1, height: 28, width: 28, classes: 10, length: 2000 }),
  loader: { batchSize: 32 },
  monitor: "step", // reads back the loss of each step, like a loop that prints it
  // Each variant runs in 24 blocks of 5 steps, interleaved with the others, after at least 2 warm-up steps.
  measure: { steps: 5, skip: 2, rounds: 24 },
  // A variant lists its differences. The first variant is the baseline.
  variants: {
    baseline: {},
    lossPerBlock: { monitor: "block" }, // reads back one loss per block
    sink: { monitor: "block", sink: 5 }, // submits 5 steps at once
  },
});

// Loader workers import this file too, but must not run it.
if (import.meta.main) await run();
