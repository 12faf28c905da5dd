import { Worker } from "node:worker_threads";
import type { BatchMessage, WorkerJob } from "./serve.ts";

/**
 * A thread that makes batches.
 *
 * The threads are those of `node:worker_threads`, which Deno implements: unlike a web `Worker` they tell when they end,
 * even by `Deno.exit`, and do not keep the process from exiting while they are parked in `Atomics.wait` (Deno 2.9). So
 * the end of a worker is known, not guessed from its silence, and one that reads slowly is left alone. None of the two
 * kinds can be stopped while it computes.
 */
export class WorkerThread {
  /** Settles when the thread has ended. */
  readonly ended: Promise<void>;
  readonly #thread: Worker;
  #end: string | null = null;

  /** @param onBatch takes the batches that are sent as messages */
  constructor(url: URL, job: WorkerJob, onBatch: (message: BatchMessage) => void) {
    const thread = new Worker(url, { workerData: job });
    if (!job.memory.holdsBatches) thread.on("message", onBatch);
    thread.on("error", (error: unknown) => {
      this.#end ??= `failed: ${error instanceof Error ? error.message : error}`;
    });
    this.ended = new Promise((resolve) => {
      thread.on("exit", (code: number) => {
        this.#end ??= `ended unexpectedly with exit status ${code}`;
        resolve();
      });
    });
    thread.unref(); // a loader that nobody closed does not keep the process alive
    this.#thread = thread;
  }

  /** What ended it, in words; null while it runs. */
  get end(): string | null {
    return this.#end;
  }

  /** Ends it where it comes back to its event loop, and hears no more of it. */
  async terminate(): Promise<void> {
    this.#thread.removeAllListeners("message");
    await this.#thread.terminate();
  }
}
