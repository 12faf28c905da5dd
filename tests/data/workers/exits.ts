/** A data worker that ends without a word while it makes its second batch. */
import { workerData } from "node:worker_threads";
import { BatchMaker } from "../../../runtime/data/loader/batch_maker.ts";
import { Ring } from "../../../runtime/data/loader/ring.ts";
import type { WorkerJob } from "../../../runtime/data/loader/serve.ts";

const { worker, plan, memory, startBatch }: WorkerJob = workerData;
const ring = new Ring(memory);
const maker = new BatchMaker(plan);
const first = ring.claim(worker)!;
maker.make(startBatch + first, ring.input(first), ring.target(first));
ring.publish(first, 1);
ring.claim(worker);
Deno.exit(7);
