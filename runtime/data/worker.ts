/**
 * Entry of the workers that make batches. Its imports are few, so that it starts fast.
 *
 * @module
 */
import { workerData } from "node:worker_threads";
import { serve } from "./loader/serve.ts";

await serve(workerData);
