import type { Template } from "./template.ts";

const SCENARIO = `/**
 * Your own model, built from layers. A layer is a function from tensor to
 * tensor: layer((x) => add(x, body(x))) adds a residual connection to body.
 *
 *     deno task start                        # compares the variants
 *     deno task start stages=2,3             # compares depths instead
 *     deno task start --dry-run              # shows size, work and memory only
 */
import {
  adam,
  batchNorm,
  conv2d,
  crossEntropy,
  flatten,
  globalAvgPool2d,
  type Layer,
  linear,
  relu,
  run,
  scenario,
  sequential,
  syntheticImages,
  z,
} from "@tacho/tacho";

/** Halves height and width. */
const stage = (channels: number): Layer =>
  sequential({
    conv: conv2d(channels, { kernel: 3, stride: 2, padding: "same" }),
    bn: batchNorm(),
    relu: relu(),
  });

export default scenario({
  name: "own-model",
  // Parameters of the model, which the command line can set and sweep
  params: {
    width: z.coerce.number().default(8).describe("channels of the first stage"),
    stages: z.coerce.number().default(3),
  },
  // Names of layers appear in reports and in the names of weights
  model: ({ width, stages }) =>
    sequential({
      ...Object.fromEntries(
        Array.from(
          { length: stages },
          (_, i) => [\`stage\${i + 1}\`, stage(width * 2 ** i)],
        ),
      ),
      head: sequential(globalAvgPool2d(), flatten(), linear(10)),
    }),
  loss: crossEntropy(),
  optimizer: adam({ learningRate: 1e-2 }),
  data: syntheticImages({ height: 32, width: 32, classes: 10, length: 2000 }),
  loader: { batchSize: 16 },
  measure: { steps: 5, skip: 2, rounds: 12, maxTime: 30 },
  // A variant lists what differs. The first is the baseline.
  variants: {
    baseline: {},
    wide: { params: { width: 16 } },
  },
});

// Data workers import this file too, but must not run it
if (import.meta.main) await run();
`;

const TEST = `import { deepStrictEqual, ok } from "node:assert/strict";
import { createTrainer } from "@tacho/tacho";
import ownModel from "./own_model.ts";

Deno.test("the model maps an image to a logit per class", async () => {
  await using trainer = await createTrainer(ownModel);
  const logits = await trainer.forward(new Float32Array(2 * 3 * 32 * 32));
  deepStrictEqual(logits.shape, [2, 10]);
});

Deno.test("the model has the weights of as many stages as asked for", async () => {
  await using trainer = await createTrainer(ownModel, {
    overrides: ["stages=4"],
  });
  ok((await trainer.parameters()).has("stage4.conv.weight"));
});

Deno.test("the model learns a batch", async () => {
  await using trainer = await createTrainer(ownModel, {
    overrides: ["data.length=16"],
  });
  const { loss: first } = await trainer.step();
  let last = first;
  for (let step = 0; step < 40; step++) last = (await trainer.step()).loss;
  ok(last < first / 2, \`the loss went from \${first} to \${last}\`);
});
`;

export const ownModel: Template = {
  name: "own-model",
  summary: "a network built from layers, with parameters to sweep",
  script: "own_model.ts",
  args: "",
  about: "`own_model.ts` builds a small convolutional network and compares it with one of twice the channels. " +
    "`own_model_test.ts` checks shapes, weights and learning. Its parameters can be swept: " +
    "`deno task start stages=2,3`.",
  files: { "own_model.ts": SCENARIO, "own_model_test.ts": TEST },
};
