import type { Template } from "./template.ts";

const SCENARIO = `/**
 * A ResNet on JPEG files: how much does loading them cost, and what helps?
 *
 *     deno task start                         # compares the variants
 *     deno task start loader.batchSize=8,32   # compares batch sizes instead
 *     deno task start --help                  # lists its settings and all flags
 */
import {
  compose,
  crossEntropy,
  imageFolder,
  resnet,
  run,
  scenario,
  sgd,
  transforms as t,
} from "@tacho/tacho";

export default scenario({
  name: "resnet",
  model: resnet({ depth: 8, classes: 10, stem: "imagenet" }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.02, momentum: 0.9 }),
  // 60 drawn JPEG files; { dir: "photos" } reads yours, one folder per class
  data: imageFolder({
    transforms: [
      t.resize([64, 64]),
      t.randomHorizontalFlip(),
      t.normalize("imagenet"),
    ],
  }),
  loader: { batchSize: 32 },
  // Each variant runs in 12 blocks of 4 steps, interleaved with the others
  measure: { steps: 4, rounds: 12 },
  // Less work on a machine without a GPU
  adapters: {
    software: { loader: { batchSize: 8 }, measure: { maxSkip: 6 } },
  },
  // A variant lists what differs. The first is the baseline.
  variants: {
    baseline: {}, // decodes on the main thread
    workers: { loader: { numWorkers: 2 } },
    // Holds images after the first transform, which are small
    cache: { data: { cache: { in: "memory", after: 1 } } },
    both: compose("workers", "cache"),
  },
});

// Data workers import this file too, but must not run it
if (import.meta.main) await run();
`;

const TEST = `import { ok } from "node:assert/strict";
import { createTrainer } from "@tacho/tacho";
import resnet from "./resnet.ts";

const target = Int32Array.from({ length: 8 }, (_, i) => i);
const input = Float32Array.from(
  { length: 8 * 3 * 64 * 64 },
  (_, i) => Math.sin(i * i),
);

/** Trains on a single batch and returns the loss of each step. */
async function train(amp: string): Promise<number[]> {
  await using trainer = await createTrainer(resnet, {
    overrides: ["loader.batchSize=8", \`amp=\${amp}\`],
  });
  const losses: number[] = [];
  for (let step = 0; step < 8; step++) {
    const { loss } = await trainer.step({ input, target });
    losses.push(loss);
  }
  return losses;
}

Deno.test("the network learns a batch, in f16 as well", async () => {
  for (const amp of ["O0", "O2"]) {
    const losses = await train(amp);
    ok(losses[7]! < 0.7 * losses[0]!, \`losses with amp \${amp}: \${losses}\`);
  }
});
`;

export const resnet: Template = {
  name: "resnet",
  summary: "compares ways to load images for a ResNet",
  script: "resnet.ts",
  args: "",
  about:
    "`resnet.ts` trains a small ResNet on JPEG files in four variants, interleaved, and prints which is faster and how " +
    "sure that is. On a machine without a GPU, batches are smaller.",
  files: { "resnet.ts": SCENARIO, "resnet_test.ts": TEST },
};
