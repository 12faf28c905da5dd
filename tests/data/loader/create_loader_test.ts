import assert from "node:assert/strict";
import { join } from "node:path";
import { toLogical } from "../../../runtime/core/layout.ts";
import { cifar10 } from "../../../runtime/data/sources/cifar10.ts";
import { syntheticImages } from "../../../runtime/data/sources/synthetic_images.ts";
import { tensors } from "../../../runtime/data/sources/tensors.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import type { DataSpec } from "../../../runtime/data/sources/sources.ts";
import { sampled } from "../../support/full.ts";
import { DEFAULTS, type Kept, pixel, RECORD, recordFile, smallSet, take, withFolder } from "../fixtures.ts";
import { rejects } from "../../support/refuses.ts";

const AUGMENT = [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")];

/** Returns 0, 1, 2, ... as samples of one element, so that each value identifies its sample. */
function counting(length: number): DataSpec {
  const data = Float32Array.from({ length }, (_, i) => i);
  return tensors({ input: { shape: [1], data }, target: { data: Int32Array.from(data) } });
}

function samples(batches: readonly Kept[]): number[] {
  return batches.flatMap((batch) => [...batch.target].slice(0, batch.count));
}

Deno.test("any prefetch keeps the ring of batches within its share of memory, however small they are", async () => {
  const options = { ...DEFAULTS, batchSize: 4, layout: "row" } as const;
  await using direct = await createLoader(counting(8), options);
  await using loader = await createLoader(counting(8), { ...options, numWorkers: 1, prefetch: 1e9 });
  const slots = loader.slots ?? 0;
  assert.ok(slots > 1000 && slots < 100_000, String(slots));
  assert.deepEqual(await take(loader, 3), await take(direct, 3));
});

/** Numbers of workers, and of batches that each prefetches. */
const WAYS = sampled([[1, 1], [1, 4], [2, 1], [2, 2], [2, 3], [4, 1], [4, 4]] as const, 3);

Deno.test("batches are bit-for-bit the same for any number of workers and any prefetch", async () => {
  await withFolder(smallSet(), async (dir) => {
    for (
      const spec of [
        cifar10({ dir, transforms: AUGMENT }),
        syntheticImages({ height: 9, width: 7, classes: 3, length: 24 }),
      ]
    ) {
      for (const dropLast of [true, false]) {
        await using direct = await createLoader(spec, { ...DEFAULTS, dropLast });
        const expected = await take(direct, 13);
        for (const [numWorkers, prefetch] of WAYS) {
          await using loader = await createLoader(spec, { ...DEFAULTS, dropLast, numWorkers, prefetch });
          assert.equal(loader.slots, numWorkers * prefetch + 1);
          assert.deepEqual(await take(loader, 13), expected, `${numWorkers} workers, prefetch ${prefetch}`);
        }
      }
    }
  });
});

Deno.test("records keep their pixels, labels and order in both layouts and splits", async () => {
  await withFolder(smallSet(), async (dir) => {
    for (const layout of ["row", "nhwc"] as const) {
      await using loader = await createLoader(cifar10({ dir }), { ...DEFAULTS, layout, shuffle: false });
      const batches = await take(loader, 4);
      assert.deepEqual(
        samples(batches),
        Array.from({ length: 20 }, (_, i) => i < 13 ? (i + 1) % 10 : (i - 13 + 2) % 10),
      );
      const logical = batches.map((batch) => toLogical(batch.input, [5, 3, 32, 32], layout));
      const expected = (salt: number, record: number) =>
        Float32Array.from({ length: 3072 }, (_, i) => pixel(salt, record, i) / 255);
      assert.deepEqual(logical[0]!.slice(0, 3072), expected(1, 0));
      assert.deepEqual(logical[3]!.slice(4 * 3072), expected(2, 6));
    }
    await using test = await createLoader(cifar10({ dir }), { ...DEFAULTS, split: "test", shuffle: false });
    assert.deepEqual([test.batchesPerEpoch, samples(await take(test, 1))], [1, [9, 0, 1, 2, 3]]);
  });
});

Deno.test("each epoch is a permutation that depends on epoch and seed", async () => {
  const order = async (seed: number) => {
    await using loader = await createLoader(counting(20), { ...DEFAULTS, layout: "row", seed });
    const batches = await take(loader, 8);
    assert.deepEqual(
      batches.map(({ index, epoch }) => [index, epoch]),
      [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i, i >> 2]),
    );
    return [samples(batches.slice(0, 4)), samples(batches.slice(4))] as const;
  };
  const [first, second] = await order(1);
  const [other] = await order(2);
  const [large] = await order(1 + 2 ** 32);
  const all = Array.from({ length: 20 }, (_, i) => i);
  for (const epoch of [first, second, other, large]) assert.deepEqual([...epoch].sort((a, b) => a - b), all);
  assert.notDeepEqual(first, second);
  assert.notDeepEqual(first, other);
  assert.notDeepEqual(first, large);
  assert.deepEqual((await order(1))[0], first);
});

Deno.test("augmentation depends on epoch and seed but not on the batch size", async () => {
  await withFolder({ "data_batch_1.bin": recordFile(1, 6) }, async (dir) => {
    const epochs = async (seed: number, batchSize: number) => {
      const options = { ...DEFAULTS, shuffle: false, seed, batchSize };
      await using loader = await createLoader(cifar10({ dir, transforms: AUGMENT }), options);
      const batches = await take(loader, 2 * loader.batchesPerEpoch);
      return [0, 1].map((epoch) =>
        batches.filter((batch) => batch.epoch === epoch).flatMap((batch) => [...batch.input])
      );
    };
    const [a, b] = await epochs(1, 3);
    assert.notDeepEqual(a, b);
    assert.notDeepEqual(a, (await epochs(2, 3))[0]);
    assert.deepEqual([a, b], await epochs(1, 2));
  });
});

Deno.test("the last batch is left out or filled up with its own samples", async () => {
  const options = { ...DEFAULTS, layout: "row", shuffle: false } as const;
  await using kept = await createLoader(counting(12), { ...options, dropLast: false });
  assert.equal(kept.batchesPerEpoch, 3);
  const batches = await take(kept, 4);
  assert.deepEqual(batches.map(({ count, size }) => [count, size]), [[5, 5], [5, 5], [2, 5], [5, 5]]);
  assert.deepEqual([...batches[2]!.input], [10, 11, 10, 11, 10]);
  assert.deepEqual([...batches[2]!.target], [10, 11, 10, 11, 10]);
  assert.deepEqual([batches[3]!.epoch, batches[3]!.index], [1, 3]);
  await using dropped = await createLoader(counting(12), options);
  assert.deepEqual([dropped.batchesPerEpoch, samples(await take(dropped, 3)).length], [2, 15]);
  await using small = await createLoader(counting(3), { ...options, dropLast: false });
  assert.deepEqual((await take(small, 1))[0]!.count, 3);
});

Deno.test("a repeated sample has the same augmentation as its original", async () => {
  await withFolder({ "data_batch_1.bin": recordFile(1, 2) }, async (dir) => {
    await using loader = await createLoader(cifar10({ dir, transforms: AUGMENT }), { ...DEFAULTS, dropLast: false });
    const [batch] = await take(loader, 1);
    assert.deepEqual(batch!.input.slice(0, 3072), batch!.input.slice(2 * 3072, 3 * 3072));
  });
});

Deno.test("a loader can start at any batch", async () => {
  for (const numWorkers of [0, 2]) {
    await using whole = await createLoader(counting(24), { ...DEFAULTS, layout: "row" });
    await using late = await createLoader(counting(24), { ...DEFAULTS, layout: "row", numWorkers, startBatch: 6 });
    assert.deepEqual(await take(late, 5), (await take(whole, 11)).slice(6));
  }
});

Deno.test("tensors of any shape and target type pass through workers", async () => {
  const spec = tensors({
    input: { shape: [2, 2], data: Float32Array.from({ length: 24 }, (_, i) => i / 8) },
    target: { shape: [2], data: Float32Array.from({ length: 12 }, (_, i) => i - 20) },
  });
  const options = { ...DEFAULTS, numWorkers: 1, layout: "row", shuffle: false, batchSize: 3 } as const;
  await using loader = await createLoader(spec, options);
  const [first, second] = await take(loader, 2);
  assert.deepEqual([...second!.input], Array.from({ length: 12 }, (_, i) => (i + 12) / 8));
  assert.deepEqual([...first!.target], [-20, -19, -18, -17, -16, -15]);
  assert.ok(first!.target instanceof Float32Array);

  const bytes = tensors({ input: { shape: [3], data: Uint8Array.of(0, 51, 255) }, target: { data: Int32Array.of(0) } });
  await using u8 = await createLoader(bytes, { ...options, batchSize: 1 });
  assert.deepEqual([...(await take(u8, 1))[0]!.input], [0, 0.2, 1].map(Math.fround));
});

Deno.test("synthetic images are random except for their class pattern", async () => {
  const spec = syntheticImages({ height: 16, width: 16, classes: 4, length: 400 });
  await using loader = await createLoader(spec, { ...DEFAULTS, batchSize: 400, layout: "row", shuffle: false });
  const [batch] = await take(loader, 1);
  const counts = [0, 0, 0, 0];
  for (const label of batch!.target) counts[label]!++;
  for (const count of counts) assert.ok(count > 60, `${counts}`);
  const image = (i: number) => [...batch!.input.slice(i * 768, (i + 1) * 768)].map((x) => Math.round(x * 255));
  const of = (label: number) => [...batch!.target].flatMap((found, i) => found === label ? [image(i)] : []);
  const bit = (pixels: number[]) => pixels.map((x) => x & 32);
  assert.deepEqual(bit(of(0)[0]!), bit(of(0)[1]!));
  assert.notDeepEqual(bit(of(0)[0]!), bit(of(1)[0]!));
  assert.notDeepEqual(of(0)[0], of(0)[1]);
  const mean = batch!.input.reduce((sum, x) => sum + x, 0) / batch!.input.length;
  assert.ok(mean > 0.4 && mean < 0.6, `${mean}`);
});

Deno.test("a label out of range fails its batch, with any number of workers, and every later call", async () => {
  const bytes = recordFile(0, 20);
  bytes[13 * RECORD] = 10;
  await withFolder({ "data_batch_1.bin": bytes }, async (dir) => {
    for (const numWorkers of [0, 1, 2, 4]) {
      await using loader = await createLoader(cifar10({ dir }), {
        ...DEFAULTS,
        numWorkers,
        prefetch: 1,
        shuffle: false,
      });
      await take(loader, 2);
      const message = /data_batch_1\.bin: record 13 has label 10; expected 0\.\.9/;
      await rejects(loader.next(), message);
      await rejects(loader.next(), message);
    }
  });
});

Deno.test("a file that is truncated or deleted meanwhile is reported", async () => {
  for (const numWorkers of [0, 1]) {
    await withFolder({ "data_batch_1.bin": recordFile(0, 20) }, async (dir) => {
      const options = { ...DEFAULTS, numWorkers, prefetch: 1, shuffle: false };
      await using loader = await createLoader(cifar10({ dir }), options);
      await take(loader, 1);
      Deno.truncateSync(join(dir, "data_batch_1.bin"), 14 * RECORD + 5);
      const rest = async () => {
        for (;;) await take(loader, 1);
      };
      await rejects(rest(), /data_batch_1\.bin ends within record 1[45] \([05] of 3073 bytes\)/);
    });
  }
});

Deno.test("invalid options are rejected by name", async () => {
  const make = (options: object, spec = counting(4)) =>
    createLoader(spec, { ...DEFAULTS, layout: "row", batchSize: 2, ...options });
  await rejects(make({ batchSize: 0 }), /loader\.batchSize is 0; expected at least 1/);
  await rejects(make({ numWorkers: -1 }), /loader\.numWorkers is -1; expected a whole number from 0 to 256, or "auto"/);
  await rejects(make({ prefetch: 0 }), /loader\.prefetch is 0; expected at least 1/);
  await rejects(make({ seed: 0.5 }), /loader\.seed is 0\.5; expected a whole number/);
  await rejects(make({ split: "val" }), /loader\.split is "val"; expected "train" or "test"/);
  await rejects(make({ batchsize: 3 }), /loader has no "batchsize"; did you mean "batchSize"\?/);
  await rejects(make({ layout: "nhwc" }), /loader\.layout is nhwc, but samples are \[1\]/);
  await rejects(
    make({ batchSize: 5 }),
    /loader\.batchSize is 5, but the train split has only 4 samples; expected at most that many/,
  );
  await rejects(make({ split: "test" }), /tensors has no test split; give tensors/);
  await rejects(
    make({ split: "test", layout: "row" }, syntheticImages({ height: 1, width: 1, classes: 1, length: 1 })),
    /syntheticImages has no test split/,
  );
  await withFolder({ "data_batch_1.bin": recordFile(0, 2) }, async (dir) => {
    await rejects(make({ split: "test" }, cifar10({ dir })), /no test split: .*test_batch\.bin does not exist/);
  });
});
