import { isMainThread } from "node:worker_threads";

/**
 * Returns true in a Worker, where a script is imported for its definitions and must not run: a web Worker, or a thread of
 * `node:worker_threads`, such as those of the loader.
 */
export function isWorker(): boolean {
  return !isMainThread || "WorkerGlobalScope" in globalThis;
}
