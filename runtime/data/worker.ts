/**
 * Entry module of data workers. It has few imports, so that workers start fast.
 *
 * @module
 */
import { workerData } from "node:worker_threads";
import { serve } from "./loader/serve.ts";

await serve(workerData);
