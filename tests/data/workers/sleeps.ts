/** A data worker whose source hangs. */
import { workerData } from "node:worker_threads";
import { Ring } from "../../../runtime/data/loader/ring.ts";
import type { WorkerJob } from "../../../runtime/data/loader/serve.ts";

const { worker, memory }: WorkerJob = workerData;
new Ring(memory).claim(worker);
for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
