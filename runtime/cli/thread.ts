/** Whether this thread is a Worker, where a script is imported for its parts and must not run. */
export function isWorker(): boolean {
  return "WorkerGlobalScope" in globalThis;
}
