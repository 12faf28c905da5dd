import { isMainThread } from "node:worker_threads";

/**
 * Whether this thread is a Worker, where a script is imported for its parts and must not run: a web Worker, or a thread
 * of `node:worker_threads`, as those that make batches are.
 */
export function isWorker(): boolean {
  return !isMainThread || "WorkerGlobalScope" in globalThis;
}
