import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { cifar10 } from "../../../runtime/data/sources/cifar10.ts";
import { syntheticImages } from "../../../runtime/data/sources/synthetic_images.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { LoaderOptions } from "../../../runtime/data/loader/options.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import { full, fullTest } from "../../support/full.ts";
import { DEFAULTS, smallSet, take, until, withFolder } from "../fixtures.ts";
import { rejects } from "../../support/refuses.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function make(options: Partial<LoaderOptions> = {}) {
  const spec = syntheticImages({ height: 8, width: 8, channels: 1, classes: 3, length: 64 });
  return createLoader(spec, { ...DEFAULTS, batchSize: 4, ...options });
}

Deno.test("batches sent as messages equal those made on the main thread", async () => {
  await using direct = await make();
  const expected = await take(direct, 40);
  for (const numWorkers of [1, 2, 4]) {
    await using loader = await make({ numWorkers, sharedMemory: false });
    assert.deepEqual(await take(loader, 40), expected);
  }
});

Deno.test("words that the device finishes keep their bits, shared or sent", async () => {
  await withFolder(smallSet(), async (dir) => {
    const spec = cifar10({
      dir,
      placement: "device",
      transforms: [t.randomCrop(32, { padding: 4 }), t.normalize("cifar10")],
    });
    const bits = async (options: Partial<LoaderOptions>) => {
      await using loader = await createLoader(spec, { ...DEFAULTS, ...options });
      const words = [];
      for (let i = 0; i < 9; i++) {
        const { tensors, release } = await loader.next();
        assert.ok(tensors["input"] instanceof Uint32Array);
        words.push(tensors["input"].slice());
        release();
      }
      return words;
    };
    const expected = await bits({});
    assert.deepEqual(await bits({ numWorkers: 2 }), expected);
    assert.deepEqual(await bits({ numWorkers: 2, sharedMemory: false }), expected);
    assert.deepEqual(await bits({ numWorkers: 2, onError: "skip" }), expected);
  });
});

Deno.test("sent batches count as held like shared ones", async () => {
  await using loader = await make({ numWorkers: 2, prefetch: 2, sharedMemory: false });
  assert.ok(await until(() => loader.queueDepth() === 5));
  const held = [];
  for (let i = 0; i < 5; i++) held.push(await loader.next());
  await assert.rejects(loader.next(), /All 5 batches of the ring are held/);
  for (const { release } of held) release();
  assert.equal((await loader.next()).index, 5);
});

Deno.test("workers persist across epochs", async () => {
  await using loader = await make({ numWorkers: 2 });
  await take(loader, 5 * loader.batchesPerEpoch);
  const { threads, batches } = loader.profile();
  assert.ok(threads.length <= 2, `${threads.length} threads`);
  assert.equal(batches, 80);
});

Deno.test("a profile sums the consumed batches", async () => {
  for (const options of [{ numWorkers: 0 }, { numWorkers: 2 }, { numWorkers: 1, sharedMemory: false }]) {
    await using loader = await make(options);
    await take(loader, 10);
    loader.resetProfile();
    await take(loader, 30);
    const profile = loader.profile();
    assert.deepEqual(profile.stages.at(0), "read");
    assert.deepEqual(profile.stages.at(-1), "collate");
    assert.deepEqual([profile.batches, profile.samples, profile.skipped], [30, 120, 0]);
    assert.equal(profile.threads.reduce((sum, { batches }) => sum + batches, 0), 30);
    for (const { make, stages, timed, samples } of profile.threads) {
      assert.equal(stages.length, profile.stages.length);
      assert.ok(timed <= samples);
      assert.ok(make.min <= make.max && make.max <= make.sum);
      assert.ok(stages.every((ms) => ms >= 0) && stages.reduce((sum, ms) => sum + ms, 0) <= make.sum);
    }
    assert.equal(profile.handOver === null, options.numWorkers === 0);
  }
});

Deno.test("chains of any length are timed; the last of very many stages are merged, with names of any length", async () => {
  const flips = (count: number) => Array.from({ length: count }, () => t.randomHorizontalFlip());
  const images = (options: object) => syntheticImages({ height: 4, width: 4, classes: 2, length: 20, ...options });
  for (const numWorkers of [0, 1]) {
    const stagesOf = async (options: object) => {
      await using loader = await createLoader(images(options), { ...DEFAULTS, numWorkers });
      loader.trace(true);
      const [batch] = [await loader.next()];
      const laps = batch.stages.laps!;
      batch.release();
      const { stages, threads } = loader.profile();
      assert.ok(threads[0]!.stages.length === stages.length && threads[0]!.stages.every(Number.isFinite));
      assert.ok(laps.every(({ stage }) => stage === null || stage < stages.length));
      return stages;
    };
    const many = await stagesOf({ transforms: flips(40), fuse: false });
    assert.deepEqual([many.length, ...many.slice(-3)], [32, "randomHorizontalFlip", "12 more", "collate"]);
    const few = await stagesOf({ transforms: flips(29), fuse: false });
    assert.deepEqual([few.length, ...few.slice(-3)], [32, "randomHorizontalFlip", "convert", "collate"]);
    const long = await stagesOf({ transforms: flips(300) });
    assert.deepEqual(long, ["read", new Array(300).fill("randomHorizontalFlip").join("+"), "collate"]);
  }
});

fullTest("memory stays flat over thousands of batches", async () => {
  const ways = [{ numWorkers: 0 }, { numWorkers: 2 }, { numWorkers: 2, sharedMemory: false }];
  for (const options of ways) {
    await using loader = await make({ ...options, batchSize: 64 });
    const run = async (batches: number) => {
      for (let i = 0; i < batches; i++) (await loader.next()).release();
      collectGarbage();
      const { heapUsed, external, rss } = Deno.memoryUsage();
      return { alive: (heapUsed + external) / 2 ** 20, rss: rss / 2 ** 20 };
    };
    const before = await run(full ? 2000 : 500);
    const after = await run(full ? 10_000 : 2000);
    // 10,000 batches of 64 images of 64 pixels in f32 are 156 MiB; a leak of half of them would fail, and one of an eighth of 2,000
    const message = `${JSON.stringify(options)}: ${JSON.stringify(before)}, then ${JSON.stringify(after)} MiB`;
    assert.ok(after.alive - before.alive < 4, message);
    // The allocator keeps the memory of sent batches: about 150 MiB, reached after 100,000 batches
    if (full && options.sharedMemory !== false) assert.ok(after.rss - before.rss < 78, message);
  }
});

Deno.test("invalid settings are rejected by name", async () => {
  const wrong = (options: object) => make(options as Partial<LoaderOptions>);
  await rejects(
    wrong({ numWorkers: "many" }),
    /loader\.numWorkers is "many"; expected a whole number from 0 to 256, or/,
  );
  await rejects(wrong({ onError: "ignore" }), /loader\.onError is "ignore"; expected "fail" or "skip"/);
  await rejects(wrong({ timeout: 0 }), /loader\.timeout is 0; expected at least 1/);
  await rejects(wrong({ shuffleBuffer: 0 }), /loader\.shuffleBuffer is 0; expected at least 1/);
  await rejects(wrong({ sharedMemory: "no" }), /loader\.sharedMemory is "no"; expected true or false/);
});
