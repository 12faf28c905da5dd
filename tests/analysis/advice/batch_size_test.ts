import assert from "node:assert/strict";
import { batchSize } from "../../../runtime/analysis/advice/batch_size.ts";
import { largerBatch } from "../../../runtime/analysis/advice/larger_batch.ts";
import { applied, apply, bottleneck, cifar, config, idle, input, measured, pipeline, said } from "./fixture.ts";

Deno.test("batch size: a device with little to do takes more samples", () => {
  const { changes, gain } = said(applied(batchSize, idle, { bottleneck: bottleneck({ free: 2 }) }));
  assert.deepEqual(changes, ["loader.batchSize: 32 -> 256"]);
  // The gap without the reader's 2 ms, and the update
  assert.ok(Math.abs(gain - 20 / (10 / 8 + 10)) < 1e-9, `${gain}`);
});

Deno.test("batch size: launches do not grow with the batch either", () => {
  const few = { step: 20, reader: 0, gap: 1, forward: 9, backward: 9, update: 1 };
  assert.equal(applied(batchSize, few), null);
  const launching = measured(few, { bottleneck: bottleneck({ free: 1.05, launch: 0.9 }) });
  assert.deepEqual(said(apply(batchSize, input(launching))).changes, ["loader.batchSize: 32 -> 256"]);
});

Deno.test("batch size: quiet where memory does not allow it", () => {
  const variant = measured(idle, { bottleneck: bottleneck({ free: 2 }) });
  assert.equal(apply(batchSize, input(variant, { memoryLimit: 150 * 2 ** 20 })), null);
});

Deno.test("batch size, larger batch: no larger than the data, with a note if weights are trained", () => {
  const variant = measured(idle, { bottleneck: bottleneck({ free: 2 }) });
  assert.deepEqual(said(apply(batchSize, input(variant, { data: cifar({ samples: 100 }) }))).changes, [
    "loader.batchSize: 32 -> 64",
  ]);
  assert.equal(apply(batchSize, input(variant, { data: cifar({ samples: 63 }) })), null);
  const busy = measured({ step: 100, reader: 0, gap: 10, forward: 29, backward: 59, update: 2 });
  const memoryLimit = 2 ** 34;
  assert.deepEqual(said(apply(largerBatch, input(busy, { memoryLimit, data: cifar({ samples: 64 }) }))).changes, [
    "loader.batchSize: 32 -> 64",
  ]);
  assert.equal(apply(largerBatch, input(busy, { memoryLimit, data: cifar({ samples: 63 }) })), null);
  const inference = { ...variant, config: config({ optimizer: null }) };
  assert.match(apply(batchSize, input(variant))!.message, /this changes training/);
  assert.doesNotMatch(apply(batchSize, input(inference))!.message, /training/);
});

Deno.test("batch size: samples come no faster than workers make them", () => {
  const fed = measured(idle, {
    bottleneck: bottleneck({ free: 2 }),
    pipeline: pipeline(36, { numWorkers: 2 }),
  });
  const finding = apply(batchSize, input(fed));
  assert.equal(said(finding).gain, 20 / 18);
  assert.match(finding!.predicted!.reasoning, /a batch arrives every 18.0 ms/);
});
