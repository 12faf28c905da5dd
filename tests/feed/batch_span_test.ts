import assert from "node:assert/strict";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import { takeBatch } from "../../runtime/feed/context.ts";
import { Recorder } from "../../runtime/record/recorder.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { scenario, syntheticImages, transforms as t } from "../../mod.ts";

const loaded = scenario({
  name: "loaded",
  data: syntheticImages({ height: 8, width: 8, classes: 4, length: 64, transforms: [t.randomHorizontalFlip()] }),
  loader: { batchSize: 8 },
  variants: { main: {}, worker: { loader: { numWorkers: 1 } } },
});

Deno.test("the making of a batch is shown on its thread, with the stages of the samples that were timed", async () => {
  for (const { name, config } of resolveScenario(loaded).variants) {
    await using loader = await createLoader(config.data, {
      ...config.loader,
      seed: 1,
      split: "train",
      layout: "nhwc",
    });
    const recorder = new Recorder();
    await takeBatch(loader, recorder, () => {});
    assert.deepEqual(recorder.take().spans, [], "nothing is kept of a step that is not recorded");
    recorder.keeping = true;
    await takeBatch(loader, recorder, () => {});
    const { spans } = recorder.take();
    const made = spans.find((span) => span.name === "batch 1")!;
    assert.equal(made.track, name === "main" ? "main" : "worker 0");
    assert.equal(made.args!["samples"], 8);
    const timed = made.args!["samples timed"] as number;
    assert(timed >= 0 && timed <= 8);
    const stages = Object.entries(made.args!).filter(([key]) => key.endsWith(": ms a sample"));
    assert.equal(stages.length > 0, timed > 0);
    const sum = stages.reduce((sum, [, ms]) => sum + (ms as number), 0);
    assert(sum * timed <= made.end - made.start + 0.01, "stages of some samples take no longer than the batch");
    if (name !== "main") continue;
    const asked = spans.find((span) => span.name === "load dataset")!;
    assert(asked.start <= made.start && made.end <= asked.end, "inside of the wait for it");
  }
});
