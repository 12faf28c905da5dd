import assert from "node:assert/strict";
import { sink } from "../../../runtime/analysis/advice/sink.ts";
import type { VariantResult } from "../../../runtime/result/schema.ts";
import { applied, apply, bottleneck, config, idle, input, measured, pipeline, said, stage } from "./fixture.ts";

Deno.test("sink: what lies between steps is paid once in many", () => {
  const stages = [stage("read", "read", 2), stage("let data", "copy", 1)];
  const variant = measured(idle, { pipeline: pipeline(2, { stages }) });
  const { changes, gain } = said(apply(sink, input(variant)));
  assert.deepEqual(changes, ["sink: 0 -> 50"]);
  assert.ok(Math.abs(gain - 20 / (9 + 8 / 50)) < 1e-9, `${gain}`);
});

Deno.test("sink: without times of the device, rests on the arm without host waits", () => {
  const variant = measured(idle, { pipeline: pipeline(2), bottleneck: bottleneck({ free: 2 }) });
  const { gain } = said(apply(sink, input(variant)));
  assert.ok(Math.abs(gain - 20 / (9 + 9 / 50)) < 1e-9, `${gain}`);
  const { forward: _forward, backward: _backward, update: _update, ...metrics } = variant.metrics;
  const untimed = { ...variant, metrics: { ...metrics, forward: null, backward: null, update: null } };
  const { gain: rough } = said(apply(sink, input(untimed)));
  assert.ok(Math.abs(rough - 20 / (10 + 8 / 50)) < 1e-9, `${rough}`);
});

Deno.test("sink: staging that takes as long as the step leaves nothing to gain", () => {
  const staged = measured({ ...idle, reader: 19 }, { pipeline: pipeline(19) });
  assert.ok((apply(sink, input(staged))?.predicted?.gain ?? 1) <= 20 / 19);
  const host = [{ name: "encode", calls: 5, total: 15, mean: 3, min: 3, max: 3 }];
  const profile = { host } as unknown as VariantResult["profile"];
  assert.equal(apply(sink, input({ ...staged, profile })), null, "the thread that stages batches also encodes");
  const slow = measured({ ...idle, reader: 10 }, { pipeline: pipeline(40, { numWorkers: 1 }) });
  assert.equal(apply(sink, input(slow)), null, "a batch arrives every 40 ms");
});

Deno.test("sink: the losses of a sink of short steps take the runtime's sleep", () => {
  const short = { step: 0.5, reader: 0, gap: 0.4, forward: 0.05, backward: 0.04, update: 0.01 };
  const finding = applied(sink, short, { pipeline: pipeline(0) });
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, ["sink: 0 -> 50"]);
  assert.ok(Math.abs(gain - 0.5 / (11 / 50)) < 1e-9, `${gain}`);
  assert.match(finding!.predicted!.reasoning, /reading losses takes 11 ms per sink/);
  const shorter = { step: 0.2, reader: 0, gap: 0.15, forward: 0.02, backward: 0.02, update: 0.01 };
  assert.equal(applied(sink, shorter, { pipeline: pipeline(0) }), null);
});

Deno.test("sink: quiet where the device is busy, where there is one, and where it cannot be known", () => {
  assert.equal(
    applied(sink, { step: 100, reader: 0.1, gap: 0.4, forward: 33, backward: 64, update: 2.5 }),
    null,
  );
  assert.equal(applied(sink, idle, { config: config({ sink: 10 }) }), null);
  assert.equal(applied(sink, idle, { config: config({ model: null }) }), null);
  const { metrics, ...rest } = measured(idle);
  const untimed = { ...rest, metrics: { ...metrics, forward: null, backward: null, update: null } };
  assert.equal(apply(sink, input(untimed)), null);
  const memory = { ...measured().memory!, feed: 2 ** 30 };
  assert.equal(applied(sink, idle, { memory }), null, "batches that do not fit the device twice");
});
