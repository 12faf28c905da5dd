import type { Template } from "./template.ts";

const SCENARIO = `/**
 * ResNet-20 on images: do sinks or mixed precision make its training faster?
 *
 *     deno task start                         # compares the variants
 *     deno task start loader.batchSize=8,32   # compares batch sizes instead
 *     deno task start --help                  # lists its settings and all flags
 */
import {
  crossEntropy,
  resnet,
  run,
  scenario,
  sgd,
  syntheticImages,
} from "@tacho/tacho";

export default scenario({
  name: "resnet",
  model: resnet({ depth: 20, classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.02, momentum: 0.9 }),
  // Random images with a weak trace of their class. cifar10() reads real ones.
  data: syntheticImages({ height: 32, width: 32, classes: 10, length: 2000 }),
  loader: { batchSize: 128 },
  // Each variant runs in 8 blocks of 20 steps, interleaved with the others
  measure: { steps: 20, skip: 2, rounds: 8 },
  // Less work on a machine without a GPU
  adapters: {
    software: {
      data: { height: 16, width: 16 },
      loader: { batchSize: 4 },
      measure: { steps: 4, maxSkip: 4, maxTime: 30 },
    },
  },
  // A variant lists what differs. The first is the baseline.
  variants: {
    baseline: {},
    sink: { sink: 4 }, // submits 4 steps at once
    amp: { amp: "O2" }, // stores data in f16, computes in f32
  },
});

// Data workers import this file too, but must not run it
if (import.meta.main) await run();
`;

const TEST = `import { ok } from "node:assert/strict";
import { createTrainer } from "@tacho/tacho";
import resnet from "./resnet.ts";

/** Trains a variant on a single batch and returns the loss of each step. */
async function train(variant: string): Promise<number[]> {
  await using trainer = await createTrainer(resnet, {
    variant,
    overrides: ["data.length=8", "loader.batchSize=8"],
  });
  const losses: number[] = [];
  for (let step = 0; step < 5; step++) {
    const { loss } = await trainer.step();
    losses.push(loss);
  }
  return losses;
}

Deno.test("the network learns a batch, in f16 as well", async () => {
  for (const variant of ["baseline", "amp"]) {
    const losses = await train(variant);
    ok(losses[4]! < 0.7 * losses[0]!, \`losses of \${variant}: \${losses}\`);
  }
});
`;

export const resnet: Template = {
  name: "resnet",
  summary: "compares ways to train a ResNet-20",
  script: "resnet.ts",
  args: "",
  about:
    "`resnet.ts` trains a ResNet-20 in three variants, interleaved, and prints which is faster and how sure that " +
    "is. On a machine without a GPU, images and batches are smaller.",
  files: { "resnet.ts": SCENARIO, "resnet_test.ts": TEST },
};
