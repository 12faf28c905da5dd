import assert from "node:assert/strict";
import { sharedMemory } from "../../../runtime/analysis/advice/shared_memory.ts";
import { applied, config, pipeline, said, stage } from "./fixture.ts";

Deno.test("shared memory: replaces clones that the loop waits for", () => {
  const cloned = config({ loader: { sharedMemory: false, numWorkers: 2 } });
  const stages = [stage("read", "read", 2), stage("hand-over", "handOver", 12)];
  const loader = pipeline(2, { numWorkers: 2, stages });
  const { changes, gain } = said(
    applied(sharedMemory, { reader: 20 }, { config: cloned, pipeline: loader }),
  );
  assert.deepEqual(changes, ["loader.sharedMemory: false -> true"]);
  assert.equal(gain, 100 / 88);
  assert.equal(applied(sharedMemory, { reader: 0.1 }, { config: cloned, pipeline: loader }), null);
  const slow = pipeline(190, { numWorkers: 2, stages });
  const bound = said(applied(sharedMemory, { reader: 20 }, { config: cloned, pipeline: slow }));
  assert.equal(bound.gain, 100 / 95, "a batch arrives every 95 ms");
  const shared = config({ loader: { numWorkers: 2 } });
  assert.equal(applied(sharedMemory, { reader: 20 }, { config: shared, pipeline: loader }), null);
});
