import type { Template } from "./template.ts";

const SCENARIO = `/**
 * The training that CI watches. The task "start" runs it with gates, which end
 * it with status 1 where they do not hold.
 *
 *     deno task start             # with the gates of deno.json
 *     deno run -A lenet.ts        # without gates
 */
import {
  adam,
  crossEntropy,
  lenet,
  run,
  scenario,
  syntheticImages,
} from "@tacho/tacho";

export default scenario({
  name: "lenet",
  model: lenet({ classes: 10 }),
  loss: crossEntropy(),
  optimizer: adam({ learningRate: 3e-3 }),
  data: syntheticImages({
    channels: 1,
    height: 28,
    width: 28,
    classes: 10,
    length: 2000,
  }),
  loader: { batchSize: 16 },
  // The baseline reads the loss of each step, like a loop that prints it
  monitor: "step",
  measure: { steps: 5, skip: 2, rounds: 12, maxTime: 30 },
  // A variant lists what differs. The first is the baseline.
  variants: {
    baseline: {},
    sink: { monitor: "block", sink: 5 }, // submits 5 steps at once
  },
});

// Data workers import this file too, but must not run it
if (import.meta.main) await run();
`;

const TEST = `import { ok } from "node:assert/strict";
import { createTrainer } from "@tacho/tacho";
import lenet from "./lenet.ts";

Deno.test("the network learns a batch", async () => {
  await using trainer = await createTrainer(lenet, {
    overrides: ["data.length=16"],
  });
  const { loss: first } = await trainer.step();
  let last = first;
  for (let step = 0; step < 30; step++) last = (await trainer.step()).loss;
  ok(last < 0.7 * first, \`the loss went from \${first} to \${last}\`);
});
`;

const WORKFLOW = `name: tacho
on: [push, pull_request]
jobs:
  gates:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # If deno.json imports Tacho by a path, check it out there too.
      - uses: denoland/setup-deno@v2
        with:
          deno-version: v2.x
      # A software adapter, as the machine has no GPU
      - run: sudo apt-get update && sudo apt-get install -y mesa-vulkan-drivers
      - run: deno task test
      - run: deno task start --report out
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: report
          path: out
`;

/** Exact figures, which no noise of a shared machine breaks. */
const GATES = [
  "memory.peak.*<=8MiB",
  "exact.dispatches.*<=60",
  "exact.waits.sink<=0.5",
];

export const ci: Template = {
  name: "ci",
  summary: "a scenario with gates, and a workflow that checks them",
  script: "lenet.ts",
  args: GATES.map((gate) => `--gate '${gate}'`).join(" "),
  about: "The task `start` in `deno.json` has gates: limits on memory, dispatches and waits for the device. These " +
    "are exact counts, so they hold or fail on any machine; a gate that does not hold ends the run with status 1. `.github/workflows/tacho.yml` runs tests and gates on every push and keeps the " +
    "report. Speeds of two machines differ, so compare variants of one run, with a margin for noise: " +
    "`--gate 'speedup.sink>=0.8'`.",
  files: { "lenet.ts": SCENARIO, "lenet_test.ts": TEST, ".github/workflows/tacho.yml": WORKFLOW },
};
