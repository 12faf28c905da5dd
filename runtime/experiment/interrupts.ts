/**
 * Ctrl-C while the device works. A signal handler on the main thread runs only when its event loop turns, and it does
 * not turn while the thread waits for the device; so a small worker listens and sets a flag in shared memory, which
 * the conductor looks at between steps.
 *
 * @module
 */

/** Watches for the user's wish to stop. */
export interface Interrupts {
  /** Whether the process was asked to stop. Safe to call at any rate: it reads one word of shared memory. */
  interrupted(): boolean;
  /** One word that becomes 1 on the first signal and is notified then; workers can wait for it with `Atomics.wait`. */
  readonly signal: Int32Array<SharedArrayBuffer>;
  /** Gives SIGINT and SIGTERM back their usual meaning. */
  close(): void;
}

/**
 * Listens to SIGINT and SIGTERM until it is closed. The first one sets the flag; a second one ends the process at once,
 * as an unhandled SIGINT would: the shell sees status 130. Returns when the listener stands.
 */
export async function watchInterrupts(): Promise<Interrupts> {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(import.meta.resolve("./interrupt_worker.ts"), { type: "module", name: "tacho-interrupts" });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.onmessage = () => resolve();
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error(`The worker that listens for interrupts failed: ${event.message}`));
  };
  worker.postMessage({ signal, terminal: Deno.stderr.isTerminal() });
  await promise;
  return {
    interrupted: () => Atomics.load(signal, 0) !== 0,
    signal,
    close: () => worker.terminate(),
  };
}
