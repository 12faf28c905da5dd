import { reasonOf } from "../../core/shown.ts";
import { Worker } from "node:worker_threads";
import type { BatchMessage, WorkerJob } from "./serve.ts";

/** Maximum time to wait for the end of a terminated thread, in ms. */
const TERMINATE_MS = 5000;

/**
 * Thread that makes batches.
 *
 * It uses `node:worker_threads`, which Deno implements. Unlike a web `Worker`, such a thread reports its end, even by
 * `Deno.exit`, and does not keep the process from exiting while it is parked in `Atomics.wait` (Deno 2.9). So the loader
 * knows when a worker has ended, and leaves a slow one alone. Neither kind can be stopped while it computes.
 */
export class WorkerThread {
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  readonly #thread: Worker;
  #end: string | null = null;

  /** @param onBatch receives batches that are sent as messages */
  constructor(url: URL, job: WorkerJob, onBatch: (message: BatchMessage) => void) {
    const thread = new Worker(url, { workerData: job });
    if (!job.memory.holdsBatches) thread.on("message", onBatch);
    thread.on("error", (error: unknown) => {
      this.#end ??= `failed: ${reasonOf(error)}`;
    });
    this.ended = new Promise((resolve) => {
      thread.on("exit", (code: number) => {
        this.#end ??= `ended unexpectedly with exit status ${code}`;
        resolve();
      });
    });
    thread.unref(); // an unclosed loader does not keep the process alive
    this.#thread = thread;
  }

  /** Phrase that describes its end; null while it runs. */
  get end(): string | null {
    return this.#end;
  }

  /**
   * Terminates the thread once it returns to its event loop, unless it has ended, and ignores its messages from now on.
   */
  async terminate(): Promise<void> {
    this.#thread.removeAllListeners("message");
    if (this.#end !== null) return;
    // The timer also keeps the event loop busy: Deno 2.9 may end a process that waits for a thread without a reference
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, TERMINATE_MS);
    await Promise.race([this.#thread.terminate(), late]);
    clearTimeout(timer);
  }
}
