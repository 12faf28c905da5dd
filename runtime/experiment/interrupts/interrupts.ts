/**
 * Handling of Ctrl-C while the device works. Signal handlers on the main thread do not run while the thread waits for the
 * device. A worker listens instead and sets a flag in shared memory, which the run polls between steps.
 *
 * @module
 */

/** Maximum time for the worker to remove its listeners, in ms. It takes microseconds unless the machine is busy. */
const CLOSE_MS = 10_000;

/** First message to the worker. */
export interface Watch {
  /** See `Interrupts.signal`. */
  readonly signal: Int32Array<SharedArrayBuffer>;
  /** One word that becomes 1 once the listeners are removed. */
  readonly closed: Int32Array<SharedArrayBuffer>;
  readonly terminal: boolean;
  /** ID of the process whose end interrupts this one; null for none. */
  readonly parent: number | null;
}

/** Interrupts of this process. */
export interface Interrupts {
  /** Returns true if the process was interrupted. Cheap: it reads one word of shared memory. */
  interrupted(): boolean;
  /** One word that becomes 1 on the first signal; workers can wait for it with `Atomics.wait`. */
  readonly signal: Int32Array<SharedArrayBuffer>;
  /** Restores the default effect of SIGINT and SIGTERM before it returns. */
  close(): void;
}

/**
 * Listens to SIGINT and SIGTERM until closed. The first signal sets the flag; the second ends the process immediately with
 * status 130, like an unhandled SIGINT. Resolves once the worker listens.
 *
 * @param parent ID of the process that started this one and waits for it; its end counts as an interrupt
 */
export async function watchInterrupts(parent: number | null = null): Promise<Interrupts> {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const closed = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(import.meta.resolve("./interrupt_worker.ts"), { type: "module", name: "tacho-interrupts" });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.onmessage = () => resolve();
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error(`The worker that listens for interrupts failed: ${event.message}`));
  };
  worker.postMessage({ signal, closed, terminal: Deno.stderr.isTerminal(), parent } satisfies Watch);
  await promise;
  return {
    interrupted: () => Atomics.load(signal, 0) !== 0,
    signal,
    close: () => {
      // terminate() removes the listeners only later, and would lose a signal until then
      worker.postMessage("close");
      Atomics.wait(closed, 0, 0, CLOSE_MS);
      worker.terminate();
    },
  };
}
