/** Data worker that ends silently while it makes its second batch. */
import { workerData } from "node:worker_threads";
import type { WorkerJob } from "../../../runtime/data/loader/serve.ts";
import { WorkerRing } from "../../../runtime/data/loader/worker_ring.ts";
import { recordOf } from "./records.ts";

const { worker, generation, memory }: WorkerJob = workerData;
const ring = new WorkerRing(memory, worker, generation);
ring.publish(ring.claim()!.k, recordOf(worker));
ring.claim();
Deno.exit(7);
