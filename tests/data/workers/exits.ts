/** A data worker that ends without a word while it makes its second batch. */
import { workerData } from "node:worker_threads";
import { Ring } from "../../../runtime/data/loader/ring.ts";
import type { WorkerJob } from "../../../runtime/data/loader/serve.ts";
import { recordOf } from "./records.ts";

const { worker, memory }: WorkerJob = workerData;
const ring = new Ring(memory);
ring.publish(ring.claim(worker)!.k, recordOf(worker));
ring.claim(worker);
Deno.exit(7);
