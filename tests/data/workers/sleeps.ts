/** Data worker whose source hangs at its first sample. */
import { workerData } from "node:worker_threads";
import type { WorkerJob } from "../../../runtime/data/loader/serve.ts";
import { WorkerRing } from "../../../runtime/data/loader/worker_ring.ts";

const { worker, generation, memory }: WorkerJob = workerData;
const ring = new WorkerRing(memory, worker, generation);
ring.claim();
ring.beat(42);
for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
