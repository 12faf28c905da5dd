/**
 * Ctrl-C while the device works. A signal handler on the main thread runs only when its event loop turns, and it does
 * not turn while the thread waits for the device; so a small worker listens and sets a flag in shared memory, which
 * the conductor looks at between steps.
 *
 * @module
 */

/** The worker removes its listeners within microseconds, unless the machine is busy: milliseconds. */
const CLOSE_MS = 10_000;

/** What the worker is told at its start, before anything else. */
export interface Watch {
  /** See `Interrupts.signal`. */
  readonly signal: Int32Array<SharedArrayBuffer>;
  /** One word that becomes 1 when the listeners are gone. */
  readonly closed: Int32Array<SharedArrayBuffer>;
  readonly terminal: boolean;
  /** Id of the process without which this one is to end; null for none. */
  readonly parent: number | null;
}

/** Watches for the user's wish to stop. */
export interface Interrupts {
  /** Whether the process was asked to stop. Safe to call at any rate: it reads one word of shared memory. */
  interrupted(): boolean;
  /** One word that becomes 1 on the first signal and is notified then; workers can wait for it with `Atomics.wait`. */
  readonly signal: Int32Array<SharedArrayBuffer>;
  /** Gives SIGINT and SIGTERM back their usual meaning, which they have when it returns. */
  close(): void;
}

/**
 * Listens to SIGINT and SIGTERM until it is closed. The first one sets the flag; a second one ends the process at once,
 * as an unhandled SIGINT would: the shell sees status 130. Returns when the listener stands.
 *
 * @param parent id of the process that started this one and waits for it: when it has gone, that is an interrupt too
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
      // A worker that is terminated loses its listeners some time later, and a signal before that is lost.
      worker.postMessage("close");
      Atomics.wait(closed, 0, 0, CLOSE_MS);
      worker.terminate();
    },
  };
}
