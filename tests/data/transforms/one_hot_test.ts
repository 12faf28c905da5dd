import assert from "node:assert/strict";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { cifar10 } from "../../../runtime/data/sources/cifar10.ts";
import { tensors } from "../../../runtime/data/sources/tensors.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import { batches, recordFile, withFolder } from "../fixtures.ts";
import { refuses } from "../../support/refuses.ts";

Deno.test("oneHot turns labels into vectors, with any number of workers", async () => {
  await withFolder({ "data_batch_1.bin": recordFile(0, 10) }, async (dir) => {
    const plain = cifar10({ dir, transforms: [t.normalize("cifar10")] });
    const spec = cifar10({ dir, transforms: [t.oneHot({ smoothing: 0.1 }), t.normalize("cifar10")] });
    assert.deepEqual(describeDataset(spec).target, { shape: [10], dtype: "f32" });
    const [labels] = await batches(plain, {});
    for (const numWorkers of [0, 2]) {
      const [batch] = await batches(spec, { numWorkers });
      assert.deepEqual(batch!.input, labels!.input);
      assert.ok(batch!.target instanceof Float32Array);
      [...batch!.target].forEach((x, i) => {
        const expected = labels!.target[Math.floor(i / 10)] === i % 10 ? 0.91 : 0.01;
        assert.ok(Math.abs(x - expected) < 1e-6, `${i}: ${x}`);
      });
    }
    refuses(() => describeDataset(cifar10({ dir, transforms: [t.oneHot(), t.oneHot()] })), /oneHot is listed twice/);
  });
  const values = { input: { shape: [1], data: new Float32Array(2) }, target: { data: new Float32Array(2) } };
  refuses(
    () => describeDataset(tensors({ ...values, transforms: [t.oneHot()] })),
    /oneHot needs targets that are class/,
  );
});
