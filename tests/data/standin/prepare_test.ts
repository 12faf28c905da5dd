import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { InterruptedError } from "../../../runtime/core/errors.ts";
import { inspectCifar10 } from "../../../runtime/data/sources/cifar10_folder.ts";
import { cifar10 } from "../../../runtime/data/sources/cifar10.ts";
import { syntheticImages } from "../../../runtime/data/sources/synthetic_images.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import { prepareDataset } from "../../../runtime/data/sources/sources.ts";
import { cacheFolder, standInFolder } from "../../../runtime/data/standin/cache.ts";
import { drawLabels, DRAWN_BYTES, drawRecord } from "../../../runtime/data/standin/draw.ts";
import { prepareStandIn } from "../../../runtime/data/standin/prepare.ts";
import { DEFAULTS, take } from "../fixtures.ts";
import { withCache } from "./with_cache.ts";
import { rejects } from "../../support/refuses.ts";

function draw(file: number, count: number): Uint8Array {
  const bytes = new Uint8Array(count * DRAWN_BYTES);
  const labels = drawLabels(file, 10000);
  for (let i = 0; i < count; i++) drawRecord(file, i, labels[i]!, bytes, i * DRAWN_BYTES);
  return bytes;
}

Deno.test("the stand-in's first records are the same on every machine", () => {
  const hash = createHash("sha256").update(draw(0, 200)).update(draw(5, 50)).digest("hex");
  assert.equal(
    hash,
    "e14bd02a134cfa2be18806b6e447681c3daf37fcb0daf9e67d4dc0e0961e5f34",
    "a changed image needs a new STAND_IN_VERSION",
  );
});

Deno.test("labels are balanced, in a different order in each file", () => {
  const [a, b] = [drawLabels(0, 10000), drawLabels(1, 10000)];
  for (const labels of [a, b]) {
    for (let label = 0; label < 10; label++) assert.equal(labels.filter((found) => found === label).length, 1000);
  }
  assert.notDeepEqual(a, b);
});

Deno.test("the mean colour of a class does not identify it", () => {
  const bytes = draw(0, 2000);
  const means = Array.from({ length: 10 }, () => [0, 0, 0, 0]);
  for (let i = 0; i < 2000; i++) {
    const record = bytes.subarray(i * DRAWN_BYTES, (i + 1) * DRAWN_BYTES);
    const mean = means[record[0]!]!;
    mean[3]!++;
    for (let c = 0; c < 3; c++) {
      mean[c]! += record.subarray(1 + c * 1024, 1 + (c + 1) * 1024).reduce((sum, x) => sum + x, 0) / 1024;
    }
  }
  for (const [red, green, blue, count] of means) {
    for (const sum of [red!, green!, blue!]) assert.ok(Math.abs(sum / count! - 127.5) < 25, `${sum / count!}`);
  }
});

Deno.test("the stand-in is drawn once, in CIFAR-10's format, with progress, and leaves no other files", async () => {
  await withCache(async (cache) => {
    const fractions: number[] = [];
    const folder = await prepareStandIn({ records: 20, onProgress: (fraction) => fractions.push(fraction) });
    assert.equal(folder, standInFolder());
    assert.equal(fractions.at(-1), 1);
    assert.deepEqual([...fractions].sort((a, b) => a - b), fractions);
    const { train, test } = inspectCifar10(folder);
    assert.deepEqual([train.map(({ records }) => records), test![0]!.records], [[20, 20, 20, 20, 20], 20]);
    assert.deepEqual([...Deno.readDirSync(cache)].map(({ name }) => name), [folder.slice(cache.length + 1)]);

    const before = Deno.statSync(join(folder, "test_batch.bin")).mtime;
    await prepareDataset(cifar10(), { onProgress: () => assert.fail("drawn again") });
    await prepareDataset(syntheticImages({ height: 1, width: 1, classes: 1, length: 1 }));
    assert.deepEqual(Deno.statSync(join(folder, "test_batch.bin")).mtime, before);

    await using loader = await createLoader(cifar10(), { ...DEFAULTS, split: "test", batchSize: 20, shuffle: false });
    const [batch] = await take(loader, 1);
    assert.deepEqual([...batch!.target], [...drawLabels(5, 20)]);

    Deno.truncateSync(join(folder, "test_batch.bin"), 7);
    await rejects(
      createLoader(cifar10(), DEFAULTS),
      /stand-in for CIFAR-10 is damaged: .*Delete .* to draw it again/,
    );
  });
});

Deno.test("concurrent drawings give one complete set and remove stale folders", async () => {
  await withCache(async (cache) => {
    const stale = join(cache, `${standInFolder().slice(cache.length + 1)}.stale`);
    Deno.mkdirSync(stale, { recursive: true });
    Deno.utimeSync(stale, 0, 0);
    const folders = await Promise.all([1, 2, 3].map(() => prepareStandIn({ records: 10 })));
    assert.equal(new Set(folders).size, 1);
    assert.equal(inspectCifar10(folders[0]!).train.length, 5);
    assert.deepEqual([...Deno.readDirSync(cache)].length, 1);
  });
});

Deno.test("a folder that another process removes meanwhile does no harm", async () => {
  await withCache(async (cache) => {
    const other = `${standInFolder()}.other`;
    Deno.mkdirSync(other, { recursive: true });
    const { readDirSync } = Deno;
    // The folder exists when the cache is listed, and is gone when it is inspected
    const listed = (path: string | URL) => {
      const entries = [...readDirSync(path)];
      Deno.removeSync(other, { recursive: true });
      return entries;
    };
    Object.assign(Deno, { readDirSync: listed });
    try {
      await prepareStandIn({ records: 2 });
    } finally {
      Object.assign(Deno, { readDirSync });
    }
    assert.deepEqual([...Deno.readDirSync(cache)].length, 1);
  });
});

Deno.test("an interrupted drawing leaves no files", async () => {
  await withCache(async (cache) => {
    const controller = new AbortController();
    const pending = prepareDataset(cifar10(), { signal: controller.signal, onProgress: () => controller.abort() });
    await assert.rejects(pending, InterruptedError);
    assert.deepEqual([...Deno.readDirSync(cache)], []);
    await assert.rejects(prepareDataset(cifar10(), { signal: AbortSignal.abort() }), InterruptedError);
  });
});

Deno.test("an interrupted drawing leaves no files even if a worker is about to write one", async () => {
  await withCache(async (cache) => {
    const controller = new AbortController();
    // Progress is reported before a file is written
    const onProgress = (fraction: number) => fraction >= 2 / 6 && controller.abort();
    await assert.rejects(prepareStandIn({ records: 1000, signal: controller.signal, onProgress }), InterruptedError);
    assert.deepEqual([...Deno.readDirSync(cache)], []);
  });
});

Deno.test("a cache folder that cannot be written is reported with TACHO_CACHE as the fix", async () => {
  await withCache(async (cache) => {
    Deno.writeTextFileSync(cache, "a file");
    await rejects(prepareDataset(cifar10()), /Cannot draw the stand-in for CIFAR-10 into .*TACHO_CACHE/);
  });
});

Deno.test("the cache folder follows the environment", () => {
  const saved = ["TACHO_CACHE", "XDG_CACHE_HOME"].map((name) => [name, Deno.env.get(name)] as const);
  try {
    Deno.env.set("TACHO_CACHE", "/a");
    assert.equal(cacheFolder(), "/a");
    Deno.env.delete("TACHO_CACHE");
    Deno.env.set("XDG_CACHE_HOME", "/b");
    assert.equal(cacheFolder(), join("/b", "tacho"));
    Deno.env.delete("XDG_CACHE_HOME");
    assert.match(cacheFolder(), /[/\\]\.cache[/\\]tacho$/);
  } finally {
    for (const [name, value] of saved) value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
  }
});
