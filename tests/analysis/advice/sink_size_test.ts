import assert from "node:assert/strict";
import { sinkSize } from "../../../runtime/analysis/advice/sink_size.ts";
import { apply, config, input, measured, pipeline, said } from "./fixture.ts";

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
