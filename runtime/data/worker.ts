/**
 * Entry module of data workers. It has few imports, so that workers start fast.
 *
 * @module
 */
import { workerData } from "node:worker_threads";
import { becomeDataWorker } from "./loader/data_worker.ts";
import { serve } from "./loader/serve.ts";

becomeDataWorker();
await serve(workerData);
