import { isMainThread } from "node:worker_threads";
import { isDataWorker } from "../data/loader/data_worker.ts";

/**
 * Returns true where a script is imported for its definitions and must not run: in a web Worker, in a thread of
 * `node:worker_threads`, such as those of the loader, and in the process of a variant.
 */
export function isWorker(): boolean {
  return isDataWorker() || !isMainThread || "WorkerGlobalScope" in globalThis;
}
