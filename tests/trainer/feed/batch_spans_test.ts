import assert from "node:assert/strict";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import { takeBatch } from "../../../runtime/trainer/feed/feed.ts";
import { Recorder } from "../../../runtime/record/recorder.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { scenario, syntheticImages, transforms as t } from "../../../mod.ts";

const loaded = scenario({
  name: "loaded",
  data: syntheticImages({ height: 8, width: 8, classes: 4, length: 64, transforms: [t.randomHorizontalFlip()] }),
  loader: { batchSize: 8 },
  variants: { main: {}, worker: { loader: { numWorkers: 1 } } },
});

Deno.test("a batch's span is on the thread that made it, with the stage times of its timed samples", async () => {
  for (const { name, config } of resolveScenario(loaded).variants) {
    await using loader = await createLoader(config.data, {
      ...config.loader,
      seed: 1,
      split: "train",
      layout: "nhwc",
    });
    const recorder = new Recorder();
    await takeBatch(loader, recorder, () => {});
    assert.deepEqual(recorder.take().spans, [], "a step that is not recorded keeps no spans");
    recorder.keeping = true;
    await takeBatch(loader, recorder, () => {});
    const { spans } = recorder.take();
    const made = spans.find((span) => span.name === "batch 1")!;
    assert.equal(made.track, name === "main" ? "main" : "worker 0");
    assert.equal(made.args!["samples"], 8);
    const timed = made.args!["samples timed"] as number;
    assert(timed >= 0 && timed <= 8);
    const stages = Object.entries(made.args!).filter(([key]) => key.endsWith(": ms per sample"));
    assert.equal(stages.length > 0, timed > 0);
    const sum = stages.reduce((sum, [, ms]) => sum + (ms as number), 0);
    assert(sum * timed <= made.end - made.start + 0.01, "stages of some samples take no longer than the batch");
    if (name !== "main") continue;
    const asked = spans.find((span) => span.name === "load dataset")!;
    assert(asked.start <= made.start && made.end <= asked.end, "within the wait for the batch");
  }
});

Deno.test("samples and their stages nest in their batch if the loader traces them, up to a limit", async () => {
  const { config } = resolveScenario(loaded).variants.find(({ name }) => name === "worker")!;
  for (const [batchSize, numWorkers] of [[8, 0], [8, 1], [200, 1]] as const) {
    const data = { ...config.data, length: 1600 } as typeof config.data;
    const options = { ...config.loader, batchSize, numWorkers, seed: 1, split: "train", layout: "nhwc" } as const;
    await using loader = await createLoader(data, options);
    const recorder = new Recorder();
    recorder.keeping = true;
    loader.trace(true);
    for (let i = 0; i < 8; i++) await takeBatch(loader, recorder, () => {});
    const { spans } = recorder.take();
    const batch = spans.find((span) => span.name === "batch 7")!;
    const inside = spans.filter((span) =>
      span !== batch && span.track === batch.track && batch.start <= span.start && span.end <= batch.end
    );
    const samples = inside.filter(({ name }) => /^sample \d+$/.test(name));
    const kinds = new Set(inside.map(({ name }) => name).filter((name) => !name.startsWith("sample")));
    const rest = inside.filter(({ name }) => name.endsWith("more samples"));
    assert(["read", "collate"].every((name) => kinds.has(name)), [...kinds].join(", "));
    assert(samples.length === batchSize || (batchSize === 200 && samples.length >= 64), `${samples.length}`);
    assert.deepEqual(
      rest.map(({ name }) => name),
      samples.length === batchSize ? [] : [`${batchSize - samples.length} more samples`],
    );
    for (const sample of samples) {
      const own = inside.filter(({ name, start, end }) =>
        !name.startsWith("sample") && sample.start <= start && end <= sample.end
      );
      assert(own.length >= 3, "read, a transform and the collation");
      const sum = own.reduce((sum, { start, end }) => sum + end - start, 0);
      assert(sum <= sample.end - sample.start + 1e-9);
    }
  }
});
