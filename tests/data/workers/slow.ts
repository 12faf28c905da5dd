/** A data worker whose source takes 150 ms a batch without a sign of life, and works otherwise. */
import { workerData } from "node:worker_threads";
import { BatchMaker } from "../../../runtime/data/loader/batch_maker.ts";
import { Ring } from "../../../runtime/data/loader/ring.ts";
import type { WorkerJob } from "../../../runtime/data/loader/serve.ts";

const { worker, plan, memory, startBatch }: WorkerJob = workerData;
const ring = new Ring(memory);
const maker = new BatchMaker(plan);
for (let k = ring.claim(worker); k !== null; k = ring.claim(worker)) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  maker.make(startBatch + k, ring.input(k), ring.target(k), () => ring.beat(worker));
  ring.publish(k, 150);
}
maker.close();
