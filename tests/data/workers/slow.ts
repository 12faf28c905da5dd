/** A data worker that takes 150 ms a sample, and works otherwise. */
import { workerData } from "node:worker_threads";
import { Ring } from "../../../runtime/data/loader/ring.ts";
import type { WorkerJob } from "../../../runtime/data/loader/serve.ts";
import { recordOf } from "./records.ts";

const { worker, plan, memory }: WorkerJob = workerData;
const ring = new Ring(memory);
for (let claim = ring.claim(worker); claim !== null; claim = ring.claim(worker)) {
  for (let sample = 0; sample < plan.batchSize; sample++) {
    ring.beat(worker, sample);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  }
  ring.publish(claim.k, recordOf(worker));
}
