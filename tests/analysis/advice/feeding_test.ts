/** Rules on how steps are handed over. */
import assert from "node:assert/strict";
import { batchSize } from "../../../runtime/analysis/advice/batch_size.ts";
import { largerBatch } from "../../../runtime/analysis/advice/larger_batch.ts";
import { monitorLess } from "../../../runtime/analysis/advice/monitor.ts";
import { sink } from "../../../runtime/analysis/advice/sink.ts";
import { sinkSize } from "../../../runtime/analysis/advice/sink_size.ts";
import { apply, bottleneck, cifar, config, input, measured, op, pipeline, said, stage } from "./fixture.ts";

Deno.test("monitor: losses are read at the end of a block", () => {
  const figures = { step: 20, reader: 0, gap: 12, forward: 3, backward: 4, update: 1, runtimeWait: 11 };
  const { changes, gain } = said(apply(monitorLess, input(measured(figures, { config: config({ monitor: "step" }) }))));
  assert.deepEqual(changes, ['monitor: "step" -> "block"']);
  assert.equal(gain, 20 / 9);
  assert.equal(apply(monitorLess, input(measured(figures))), null);
  const sunk = config({ monitor: "step", sink: 10 });
  assert.equal(
    apply(monitorLess, input(measured(figures, { config: sunk }))),
    null,
    "a sink reads its losses together",
  );
});

Deno.test("monitor: a step is no shorter than workers take for its batch", () => {
  const figures = { step: 20, reader: 0, gap: 12, forward: 3, backward: 4, update: 1, runtimeWait: 11 };
  const waits = (make: number) =>
    apply(
      monitorLess,
      input(measured(figures, {
        config: config({ monitor: "step" }),
        pipeline: pipeline(make, { numWorkers: 2 }),
      })),
    );
  assert.equal(said(waits(30)).gain, 20 / 15);
  assert.equal(said(waits(10)).gain, 20 / 9);
  assert.equal(waits(40), null);
});

const idle = { step: 20, reader: 2, gap: 11, forward: 4, backward: 4, update: 1 };

Deno.test("sink: what lies between steps is paid once in many", () => {
  const stages = [stage("read", "read", 2), stage("let data", "copy", 1)];
  const variant = measured(idle, { pipeline: pipeline(2, { stages }) });
  const { changes, gain } = said(apply(sink, input(variant)));
  assert.deepEqual(changes, ["sink: 0 -> 50"]);
  assert.ok(Math.abs(gain - 20 / (9 + 8 / 50)) < 1e-9, `${gain}`);
});

Deno.test("sink: rests on the arm without host waits where it was run", () => {
  const variant = measured(idle, { pipeline: pipeline(2), bottleneck: bottleneck({ free: 2 }) });
  const { gain } = said(apply(sink, input(variant)));
  assert.ok(Math.abs(gain - 20 / (10 + 8 / 50)) < 1e-9, `${gain}`);
});

Deno.test("sink: staging that takes as long as the step leaves nothing to gain", () => {
  const staged = measured({ ...idle, reader: 19 }, { pipeline: pipeline(19) });
  assert.ok((apply(sink, input(staged))?.predicted?.gain ?? 1) <= 20 / 19);
  const slow = measured({ ...idle, reader: 10 }, { pipeline: pipeline(40, { numWorkers: 1 }) });
  assert.equal(apply(sink, input(slow)), null, "a batch comes every 40 ms");
});

Deno.test("sink: the losses of a sink of short steps take the runtime's sleep", () => {
  const short = { step: 0.5, reader: 0, gap: 0.4, forward: 0.05, backward: 0.04, update: 0.01 };
  const finding = apply(sink, input(measured(short, { pipeline: pipeline(0) })));
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, ["sink: 0 -> 50"]);
  assert.ok(Math.abs(gain - 0.5 / (11 / 50)) < 1e-9, `${gain}`);
  assert.match(finding!.predicted!.reasoning, /reading losses takes 11 ms a sink/);
  const shorter = { step: 0.2, reader: 0, gap: 0.15, forward: 0.02, backward: 0.02, update: 0.01 };
  assert.equal(apply(sink, input(measured(shorter, { pipeline: pipeline(0) }))), null);
});

Deno.test("sink: quiet where the device is busy, where there is one, and where it cannot be known", () => {
  assert.equal(
    apply(sink, input(measured({ step: 100, reader: 0.1, gap: 0.4, forward: 33, backward: 64, update: 2.5 }))),
    null,
  );
  assert.equal(apply(sink, input(measured(idle, { config: config({ sink: 10 }) }))), null);
  assert.equal(apply(sink, input(measured(idle, { config: config({ model: null }) }))), null);
  const { metrics, ...rest } = measured(idle);
  const untimed = { ...rest, metrics: { ...metrics, forward: null, backward: null, update: null } };
  assert.equal(apply(sink, input(untimed)), null);
  const memory = { ...measured().memory!, feed: 2 ** 30 };
  assert.equal(apply(sink, input(measured(idle, { memory }))), null, "batches that do not fit the device twice");
});

Deno.test("sink size: where the device still waits between sinks", () => {
  const sunk = config({ sink: 5 });
  const { changes, gain } = said(apply(sinkSize, input(measured({ step: 100, gap: 8 }, { config: sunk }))));
  assert.deepEqual(changes, ["sink: 5 -> 20"]);
  assert.equal(gain, 100 / 94);
  assert.equal(apply(sinkSize, input(measured({ step: 100, gap: 0.5 }, { config: sunk }))), null);
  assert.equal(apply(sinkSize, input(measured({ step: 100, gap: 8 }))), null);
  assert.equal(apply(sinkSize, input(measured({ step: 100, gap: 8 }, { config: config({ sink: "epoch" }) }))), null);
  const queue = { capacity: 5, depth: { avg: 1, min: 0, max: 5 }, empty: 0.8, full: 0.2 };
  const starved = pipeline(20, { queues: { host: null, device: queue } });
  assert.equal(apply(sinkSize, input(measured({ step: 100, gap: 8 }, { config: sunk, pipeline: starved }))), null);
});

Deno.test("batch size: a device with little to do takes more samples", () => {
  const { changes, gain } = said(apply(batchSize, input(measured(idle, { bottleneck: bottleneck({ free: 2 }) }))));
  assert.deepEqual(changes, ["loader.batchSize: 32 -> 128"]);
  assert.ok(Math.abs(gain - 20 / (8 / 4 + 12)) < 1e-9, `${gain}`);
});

Deno.test("batch size: launches do not grow with the batch either", () => {
  const few = { step: 20, reader: 0, gap: 1, forward: 9, backward: 9, update: 1 };
  assert.equal(apply(batchSize, input(measured(few))), null);
  const launching = measured(few, { bottleneck: bottleneck({ free: 1.05, launch: 0.9 }) });
  assert.deepEqual(said(apply(batchSize, input(launching))).changes, ["loader.batchSize: 32 -> 256"]);
  const software = { ...launching, ops: [op("conv1", { dispatches: 20 })] };
  assert.equal(apply(batchSize, input(software, { software: true })), null, "its workgroups grow with the batch");
});

Deno.test("batch size: quiet where memory does not allow it", () => {
  const variant = measured(idle, { bottleneck: bottleneck({ free: 2 }) });
  assert.equal(apply(batchSize, input(variant, { memoryLimit: 150 * 2 ** 20 })), null);
});

Deno.test("batch size, larger batch: no larger than the data, and training changes only where there is any", () => {
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
  assert.match(apply(batchSize, input(variant))!.message, /training changes/);
  assert.doesNotMatch(apply(batchSize, input(inference))!.message, /training/);
});

Deno.test("batch size: samples come no faster than workers make them", () => {
  const fed = measured(idle, {
    bottleneck: bottleneck({ free: 2 }),
    pipeline: pipeline(36, { numWorkers: 2 }),
  });
  const finding = apply(batchSize, input(fed));
  assert.equal(said(finding).gain, 20 / 18);
  assert.match(finding!.predicted!.reasoning, /a batch comes every 18.0 ms/);
});

Deno.test("larger batch: as large as memory allows, where a step has costs of its own", () => {
  const variant = measured({ step: 100, reader: 0, gap: 10, forward: 29, backward: 59, update: 2 });
  const { changes, gain } = said(apply(largerBatch, input(variant, { memoryLimit: 600 * 2 ** 20 })));
  assert.deepEqual(changes, ["loader.batchSize: 32 -> 128"]);
  assert.ok(Math.abs(gain - 100 / (10 / 4 + 90)) < 1e-9, `${gain}`);
  assert.equal(apply(largerBatch, input(variant)), null, "no limit is known");
  assert.equal(apply(largerBatch, input(variant, { memoryLimit: 200 * 2 ** 20 })), null);
  const busy = measured({ step: 100, reader: 0, gap: 0.2, forward: 33, backward: 64, update: 2.8 });
  assert.equal(apply(largerBatch, input(busy, { memoryLimit: 2 ** 34 })), null);
});
