import assert from "node:assert/strict";
import { join } from "node:path";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { cifar100 } from "../../../runtime/data/sources/cifar100.ts";
import { batches, recordFile, withFolder } from "../fixtures.ts";
import { refuses, rejects } from "../../support/refuses.ts";

/** Makes CIFAR-100 records: coarse label, fine label, and pixels equal to the record's index. */
function cifar100File(records: number): Uint8Array {
  const bytes = new Uint8Array(records * 3074);
  for (let r = 0; r < records; r++) {
    bytes.set([r % 20, r % 100], r * 3074);
    bytes.fill(r, r * 3074 + 2, (r + 1) * 3074);
  }
  return bytes;
}

Deno.test("CIFAR-100 has fine and coarse labels", async () => {
  await withFolder({ "train.bin": cifar100File(30), "test.bin": cifar100File(10) }, async (dir) => {
    const { train, test, classes, input } = describeDataset(cifar100({ dir }));
    assert.deepEqual([train.length, test?.length, classes, input!.shape], [30, 10, 100, [3, 32, 32]]);
    const [fine] = await batches(cifar100({ dir }), { batchSize: 30 });
    assert.deepEqual([...fine!.target], Array.from({ length: 30 }, (_, i) => i));
    assert.deepEqual(fine!.input.slice(25 * 3072, 26 * 3072), new Float32Array(3072).fill(25 / 255));
    const [coarse] = await batches(cifar100({ dir, labels: "coarse" }), { batchSize: 30 });
    assert.deepEqual([...coarse!.target], Array.from({ length: 30 }, (_, i) => i % 20));
    assert.equal(describeDataset(cifar100({ dir, labels: "coarse" })).classes, 20);
  });
});

Deno.test("missing and damaged CIFAR-100 files and those of CIFAR-10 are rejected", async () => {
  await withFolder({ "test.bin": cifar100File(3) }, (dir) => {
    refuses(() => describeDataset(cifar100({ dir })), /lacks train\.bin \(it has test\.bin\); expected train\.bin and/);
  });
  await withFolder({ "train.bin": cifar100File(3).subarray(1) }, (dir) => {
    refuses(
      () => describeDataset(cifar100({ dir })),
      /train\.bin has 9221 bytes, which is 2 records and 3073 extra bytes/,
    );
    Deno.truncateSync(join(dir, "train.bin"), 50000 * 3074);
    refuses(() => describeDataset(cifar100({ dir })), /lacks test\.bin/);
    Deno.writeFileSync(join(dir, "test.bin"), cifar100File(3));
    refuses(
      () => describeDataset(cifar100({ dir })),
      /test\.bin has 3 records; expected 10000, since .*train\.bin is the/,
    );
  });
  await withFolder({ "data_batch_1.bin": recordFile(0, 2) }, (dir) => {
    refuses(() => describeDataset(cifar100({ dir })), /holds CIFAR-10 .*use cifar10/);
  });
  const bytes = cifar100File(4);
  bytes[2 * 3074 + 1] = 100;
  await withFolder({ "train.bin": bytes }, async (dir) => {
    await rejects(batches(cifar100({ dir }), { batchSize: 4 }), /train\.bin: record 2 has label 100; expected 0\.\.99/);
  });
});
