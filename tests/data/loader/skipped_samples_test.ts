import assert from "node:assert/strict";
import { cifar10 } from "../../../runtime/data/sources/cifar10.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { LoaderOptions } from "../../../runtime/data/loader/options.ts";
import { DEFAULTS, type Kept, RECORD, recordFile, take, withFolder } from "../fixtures.ts";
import { rejects } from "../../support/refuses.ts";

/** Returns 20 records; those in `wrong` have a label out of range. */
function damaged(wrong: readonly number[]): Record<string, Uint8Array> {
  const bytes = recordFile(0, 20);
  for (const record of wrong) bytes[record * RECORD] = 99;
  return { "data_batch_1.bin": bytes };
}

Deno.test("a skipped sample is replaced by the same other one with any number of workers", async () => {
  await withFolder(damaged([3, 13]), async (dir) => {
    const kept = async (options: Partial<LoaderOptions>) => {
      await using loader = await createLoader(cifar10({ dir }), { ...DEFAULTS, onError: "skip", ...options });
      const batches = await take(loader, 12);
      const { skipped, skipReasons, batches: count } = loader.profile();
      // Two in each of three epochs of 20, plus invalid replacements
      assert.ok(skipped >= 6 && skipped < 12, `${skipped}`);
      assert.equal(count, 12);
      assert.match(skipReasons[0]!, /Sample (3|13) \(batch \d\): .*data_batch_1\.bin: record (3|13) has label 99/);
      return [skipped, batches] as const;
    };
    const [skipped, expected] = await kept({});
    for (const options of [{ numWorkers: 1 }, { numWorkers: 2, prefetch: 3 }, { numWorkers: 4, sharedMemory: false }]) {
      const [others, batches] = await kept(options);
      assert.deepEqual(batches, expected);
      assert.equal(others, skipped);
    }
    const labels = (batches: readonly Kept[]) => batches.flatMap(({ target }) => [...target]);
    assert.ok(labels(expected).every((label) => label < 10));
    assert.notDeepEqual((await kept({ seed: 2 }))[1], expected);
  });
});

Deno.test("resetting the profile keeps the count of replaced samples", async () => {
  await withFolder(damaged([3]), async (dir) => {
    await using loader = await createLoader(cifar10({ dir }), { ...DEFAULTS, onError: "skip", shuffle: false });
    await take(loader, 1);
    assert.equal(loader.profile().skipped, 1);
    loader.resetProfile();
    const { skipped, skipReasons, batches, threads } = loader.profile();
    assert.deepEqual([skipped, skipReasons.length, batches, threads], [1, 1, 0, []]);
  });
});

Deno.test("a batch fails if all samples are invalid", async () => {
  await withFolder(damaged(Array.from({ length: 20 }, (_, i) => i)), async (dir) => {
    for (const numWorkers of [0, 2]) {
      await using loader = await createLoader(cifar10({ dir }), { ...DEFAULTS, numWorkers, onError: "skip" });
      await rejects(loader.next(), /16 samples in a row are invalid\. Sample \d+ \(batch 0\): .*has label 99/);
    }
  });
});
