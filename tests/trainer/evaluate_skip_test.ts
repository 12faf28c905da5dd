import assert from "node:assert/strict";
import { cifar10, createTrainer, crossEntropy, flatten, linear, scenario, sequential, sgd } from "../../mod.ts";
import { RECORD, recordFile, withFolder } from "../data/fixtures.ts";

Deno.test("evaluation replaces samples that cannot be loaded, and counts them", async () => {
  const test = recordFile(9, 20);
  for (const record of [4, 11]) test[record * RECORD] = 77;
  await withFolder({ "data_batch_1.bin": recordFile(1, 10), "test_batch.bin": test }, async (dir) => {
    const outcomes = [0, 2].map(async (numWorkers) => {
      const own = scenario({
        name: "damaged",
        model: sequential({ flat: flatten(), fc: linear(10) }),
        loss: crossEntropy(),
        optimizer: sgd({ learningRate: 0.01 }),
        data: cifar10({ dir }),
        loader: { batchSize: 10, numWorkers, onError: "skip" },
      });
      await using trainer = await createTrainer(own);
      return await trainer.evaluate();
    });
    const [direct, byWorker] = await Promise.all(outcomes);
    assert.ok(direct!.skipped >= 2 && direct!.skipped < 8, `${direct!.skipped}`);
    assert.equal(direct!.samples, 20);
    assert.deepEqual(byWorker, direct);
  });
});
