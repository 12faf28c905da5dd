import assert from "node:assert/strict";
import { cifar10 } from "../../runtime/data/sources/cifar10.ts";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import { batches, DEFAULTS, recordFile, take, withFolder } from "./fixtures.ts";

Deno.test("delays of reading, decoding and collating sleep and change no values", async () => {
  await withFolder({ "data_batch_1.bin": recordFile(0, 10) }, async (dir) => {
    const fast = await batches(cifar10({ dir }), {});
    const begin = performance.now();
    const slow = await batches(cifar10({ dir, delay: { read: 6, collate: 20 } }), {});
    assert.ok(performance.now() - begin >= 49, `${performance.now() - begin}`);
    assert.deepEqual(slow, fast);
    // A decode delay adds a stage even though records need no decoding
    await using loader = await createLoader(cifar10({ dir, delay: { read: 1, decode: 4 } }), {
      ...DEFAULTS,
      shuffle: false,
    });
    assert.deepEqual(await take(loader, fast.length), fast);
    const { stages, threads: [thread] } = loader.profile();
    assert.deepEqual(stages, ["read", "decode", "convert", "collate"]);
    assert.ok(thread!.stages[1]! >= 2 * thread!.timed);
  });
});
