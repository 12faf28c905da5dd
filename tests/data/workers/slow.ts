/** Data worker that takes 150 ms per sample and works otherwise. */
import { workerData } from "node:worker_threads";
import type { WorkerJob } from "../../../runtime/data/loader/serve.ts";
import { WorkerRing } from "../../../runtime/data/loader/worker_ring.ts";
import { recordOf } from "./records.ts";

const { worker, generation, plan, memory }: WorkerJob = workerData;
const ring = new WorkerRing(memory, worker, generation);
for (let claim = ring.claim(); claim !== null; claim = ring.claim()) {
  for (let sample = 0; sample < plan.batchSize; sample++) {
    ring.beat(sample);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  }
  ring.publish(claim.k, recordOf(worker));
}
