/** A data worker whose source hangs at its first sample. */
import { workerData } from "node:worker_threads";
import { Ring } from "../../../runtime/data/loader/ring.ts";
import type { WorkerJob } from "../../../runtime/data/loader/serve.ts";

const { worker, memory }: WorkerJob = workerData;
const ring = new Ring(memory);
ring.claim(worker);
ring.beat(worker, 42);
for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
