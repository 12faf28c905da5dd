import assert from "node:assert/strict";
import { drainSteps } from "../../../runtime/experiment/rounds/drain.ts";

const block = { steps: 5, batchSize: 32, numWorkers: 0, unit: 1 };

Deno.test("batches loaded in advance are drained unless they are negligible", () => {
  assert.equal(drainSteps(block), 0, "no workers");
  assert.equal(drainSteps({ ...block, numWorkers: 3 }), 0, "3 of 160 samples");
  assert.equal(drainSteps({ ...block, numWorkers: 4 }), 4);
  assert.equal(drainSteps({ ...block, batchSize: 1, numWorkers: 2 }), 2);
  assert.equal(drainSteps({ ...block, batchSize: 1, numWorkers: 2, unit: 5 }), 5, "whole sinks");
});
