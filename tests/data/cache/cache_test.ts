import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { encode } from "fast-png";
import { allocateCache } from "../../../runtime/data/cache/cache_plan.ts";
import { SampleCache } from "../../../runtime/data/cache/sample_cache.ts";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { LoaderOptions } from "../../../runtime/data/loader/options.ts";
import { cifar10 } from "../../../runtime/data/sources/cifar10.ts";
import { imageFolder } from "../../../runtime/data/sources/image_folder.ts";
import type { DataSpec } from "../../../runtime/data/sources/sources.ts";
import { syntheticImages } from "../../../runtime/data/sources/synthetic_images.ts";
import type { CommonOptions } from "../../../runtime/data/sources/types.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import { source } from "../../../runtime/data/sources/module.ts";
import { DEFAULTS, smallSet, take, withFolder } from "../fixtures.ts";
import { doubled, epochal, speckled } from "../modules/functions.ts";
import { withCache } from "../standin/with_cache.ts";
import { refuses, rejects } from "../../support/refuses.ts";

type Cache = NonNullable<CommonOptions["cache"]>;

const CHAIN = [doubled, t.randomCrop(5, { padding: 1 }), t.normalize({ mean: [0, 0, 0], std: [2, 2, 2] })];

function images(options: CommonOptions = {}): DataSpec {
  return syntheticImages({ height: 6, width: 7, classes: 3, length: 23, transforms: CHAIN, ...options });
}

function squares(name: string, cache: Cache | null): DataSpec {
  const module = import.meta.resolve(`../modules/${name}.ts`);
  return source({ module, input: { shape: [1, 2, 3] }, classes: 7, cache });
}

function pairs(cache: Cache | null): DataSpec {
  return source({
    module: import.meta.resolve("../modules/pairs.ts"),
    inputs: { tokens: { shape: [3], dtype: "i32" }, scales: { shape: [2] } },
    target: { shape: [3] },
    fields: { weight: { dtype: "f32" } },
    classes: 4,
    cache,
  });
}

/** Takes batches of several epochs, and the state of the cache after them. */
async function run(spec: DataSpec, options: Partial<LoaderOptions> = {}, count = 14) {
  await using loader = await createLoader(spec, { ...DEFAULTS, ...options });
  const batches = await take(loader, count);
  return { ...loader.profile(), batches };
}

Deno.test("batches from a cache are the same bit for bit, wherever it is and whoever makes them", async () => {
  await withCache(async () => {
    const { batches: expected } = await run(images());
    const caches: [Cache, number][] = [
      ["memory", 0],
      ["file", 2],
      [{ in: "memory", after: 1 }, 2],
      [{ in: "file", after: 1, fill: false }, 0],
      [{ in: "memory", fill: false }, 2],
      [{ in: "memory", after: 1, limit: 2048 }, 0],
    ];
    for (const [cache, numWorkers] of caches) {
      const { batches } = await run(images({ cache }), { numWorkers });
      assert.deepEqual(batches, expected, `${JSON.stringify(cache)} with ${numWorkers} workers`);
    }
  });
});

Deno.test("every sample is read once, and samples beyond the limit in every epoch", async () => {
  const filled = await run(images({ cache: { in: "memory", after: 1 } }));
  assert.deepEqual(filled.stages.slice(-2), ["randomCrop+normalize", "collate"]);
  assert.ok(filled.stages.includes("cache") && filled.stages.includes("map(doubled)"));
  // 6 x 7 x 3 f32 values, a label and two sides take 516 bytes, in units of 64
  const { fillMs, limit, ...cache } = filled.cache!;
  assert.deepEqual(cache, { in: "memory", samples: 23, bytes: 23 * 576, full: false, hits: 70, misses: 0 });
  assert.ok(fillMs! > 0);
  assert.equal(limit, 23 * 576);
  // Epochs of 20 samples in another order each; the first 3 use samples that no epoch before has used
  const lazy = await run(images({ cache: { in: "memory", fill: false } }));
  assert.equal(lazy.cache!.fillMs, null);
  assert.equal(lazy.cache!.misses, lazy.cache!.samples);
  assert.equal(lazy.cache!.hits + lazy.cache!.misses, 70);
  const small = await run(images({ cache: { in: "memory", after: 1, limit: 10 * 576 + 1 } }));
  assert.deepEqual([small.cache!.samples, small.cache!.full], [10, true]);
  assert.ok(small.cache!.hits > 0 && small.cache!.misses > 0);
});

Deno.test("images of different sizes, sources in code and targets of any form are cached", async () => {
  await withFolder({}, async (dir) => {
    for (const name of ["a", "b"]) {
      Deno.mkdirSync(join(dir, name));
      for (const side of [5, 6, 9]) {
        const data = Uint8Array.from({ length: 4 * side * (side + 1) }, (_, i) => (i * 37 + side) & 255);
        Deno.writeFileSync(
          join(dir, name, `${side}.png`),
          encode({ width: side + 1, height: side, channels: 4, data }),
        );
      }
    }
    const folder = (cache: Cache | null) =>
      imageFolder({ dir, transforms: [t.randomResizedCrop(4), t.oneHot()], cache });
    const options = { batchSize: 3 };
    const { batches } = await run(folder(null), options, 6);
    for (const cache of ["memory", "file"] as const) {
      await withCache(async () => assert.deepEqual((await run(folder(cache), options, 6)).batches, batches));
    }
    for (const name of ["squares", "squares_async"]) {
      const { batches } = await run(squares(name, null), {}, 6);
      for (const numWorkers of [0, 1]) {
        assert.deepEqual((await run(squares(name, "memory"), { numWorkers }, 6)).batches, batches);
      }
    }
    const fields = async (cache: Cache | null) => {
      await using loader = await createLoader(pairs(cache), { ...DEFAULTS, layout: "row" });
      const found = [];
      for (let i = 0; i < 5; i++) found.push(structuredClone((await loader.next()).tensors));
      return found;
    };
    assert.deepEqual(await fields("memory"), await fields(null));
  });
});

Deno.test("transforms of the device come after the cache", async () => {
  await withFolder(smallSet(), async (dir) => {
    const chain = [t.centerCrop(20), t.randomCrop(16), t.normalize("cifar10")];
    const spec = (cache: Cache | null) => cifar10({ dir, transforms: chain, placement: "device", cache });
    const words = async (cache: Cache | null) => {
      await using loader = await createLoader(spec(cache), DEFAULTS);
      return (await loader.next()).tensors["input"]!.slice();
    };
    assert.deepEqual(await words("memory"), await words(null));
    refuses(
      () => describeDataset(spec({ in: "memory", after: 1 })),
      /data\.cache\.after is 1, but the device runs all but the first 0 transforms; expected at most 0, or data\.placement/,
    );
  });
});

Deno.test("what a cache would repeat in every epoch is refused", async () => {
  refuses(
    () => describeDataset(images({ cache: { in: "memory", after: 2 } })),
    /data\.cache\.after is 2, but data\.transforms\[1\], randomCrop, draws random numbers: .* expected at most 1/,
  );
  refuses(() => describeDataset(images({ cache: { in: "memory", after: 4 } })), /has 3; expected a number from 0 to 3/);
  const behind = { in: "memory", after: 1, fill: false } as const;
  await rejects(
    run(images({ transforms: [speckled], cache: behind })),
    /map\(speckled\) failed: it draws random numbers, but a cache keeps its results .* lower data\.cache\.after/,
  );
  await rejects(run(images({ transforms: [epochal], cache: behind })), /it reads sample\.epoch, but a cache/);
  await rejects(
    run(squares("squares_stream", "memory")),
    /arrive in one order and have no index/,
  );
  refuses(() => images({ cache: "disk" as never }), /cache\.in is "disk"; expected "memory" or "file"/);
});

Deno.test("samples that leave an error behind, or answer too late, are replaced in every epoch, with a cache or without", async () => {
  const module = (fault: string) =>
    new TextEncoder().encode(`export const length = 12;
export function get(i) {
  const sample = { input: Float32Array.of(i, -i), target: i };
  if (i === 7) ${fault}
  return sample;
}`);
  const faults = [
    "Promise.reject(new Error('torn'));",
    "return new Promise((done) => setTimeout(() => done(sample), 60));",
  ];
  for (const [i, fault] of faults.entries()) {
    await withFolder({ "own.ts": module(fault) }, async (dir) => {
      const own = (cache: Cache | null) =>
        source({ module: join(dir, "own.ts"), input: { shape: [2] }, classes: 12, cache });
      const batches = async (cache: Cache | null, numWorkers: number) => {
        const options = { batchSize: 4, numWorkers, onError: "skip", timeout: 20, layout: "row" } as const;
        const found = await run(own(cache), options, 9);
        if (cache !== null) assert.equal(found.cache!.samples, 11, "all but the invalid sample");
        return found.batches;
      };
      const expected = await batches(null, 0);
      assert.ok(expected.every(({ target }) => !target.includes(7)));
      const caches: [Cache, number][] = [["memory", 0], [{ in: "file", fill: false }, i === 0 ? 1 : 0]];
      for (const [cache, numWorkers] of caches) {
        await withCache(async () => {
          assert.deepEqual(await batches(cache, numWorkers), expected, `${fault} ${JSON.stringify(cache)}`);
        });
      }
    });
  }
});

Deno.test("transforms whose settings leave nothing to chance may come before a cache", async () => {
  const fixed = [t.gaussianBlur({ kernelSize: 3, sigma: [1, 1] }), t.randomHorizontalFlip({ p: 1 })];
  const spec = (cache: Cache | null) => images({ transforms: [...fixed, ...CHAIN.slice(1)], cache });
  const { batches } = await run(spec({ in: "memory", after: 2 }));
  assert.deepEqual(batches, (await run(spec(null))).batches);
  refuses(
    () =>
      describeDataset(images({ transforms: [t.gaussianBlur({ kernelSize: 3 })], cache: { in: "memory", after: 1 } })),
    /gaussianBlur, draws random numbers/,
  );
});

Deno.test("the file of a cache is removed with the loader, and those of killed processes with the next", async () => {
  await withCache(async (folder) => {
    const files = () => [...Deno.readDirSync(join(folder, "samples"))].map(({ name }) => name);
    const loader = await createLoader(images({ cache: "file" }), DEFAULTS);
    const [name] = files();
    await loader.close();
    assert.deepEqual(files(), []);
    const abandoned = join(folder, "samples", name!.replace(/\.\d+\./, ".4194305."));
    const foreign = join(folder, "samples", `another-machine.1.x`);
    for (const path of [abandoned, foreign]) Deno.writeTextFileSync(path, "");
    await run(images({ cache: "file" }), {}, 1);
    assert.deepEqual(files(), ["another-machine.1.x"]);
    await rejects(run(images({ cache: "file", transforms: [t.map(() => new Float32Array(1))] }), {}, 1), /returned/);
    assert.deepEqual(files(), ["another-machine.1.x"]);
  });
});

Deno.test("a cache whose file cannot be created names the folder, the reason and the ways out", async () => {
  await withCache(async (folder) => {
    await Deno.writeTextFile(folder, "");
    await rejects(
      run(images({ cache: "file" })),
      /^data\.cache: no file can be created in .*cache.samples \(.+\); set TACHO_CACHE .*"memory"$/,
    );
  });
});

Deno.test({
  name: "a sample that a full disk does not take names the file, the reason and the ways out",
  ignore: !existsSync("/dev/full"),
  fn() {
    const plan = allocateCache({ in: "memory", after: 0, limit: 1024, fill: true }, 4, 64);
    const cache = new SampleCache({ ...plan, data: null, path: "/dev/full" });
    const claim = cache.claim(2, 64);
    refuses(
      () => claim!.write(),
      /^data\.cache: \/dev\/full cannot be written \(No space left.*\); lower data\.cache\.limit, .*"memory"$/,
    );
    assert.equal(cache.find(2), null, "the sample is not in the cache");
    cache.close();
  },
});
