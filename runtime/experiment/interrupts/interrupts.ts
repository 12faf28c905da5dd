/**
 * Handling of Ctrl-C while the device works. Signal handlers on the main thread do not run while the thread waits for the
 * device. A worker listens instead and sets a flag in shared memory, which the run polls between steps. If the run does not
 * poll it any more, since its thread is blocked, the worker ends the process.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { interruptSignals, ROUND_SIGNAL } from "./signals.ts";

/** Maximum time for the worker to remove its listeners, in ms. It takes microseconds unless the machine is busy. */
const CLOSE_MS = 10_000;

/** Default time in which an interrupted run polls the flag again, in ms. */
const GRACE_MS = 10_000;

export interface InterruptOptions {
  /** ID of the process that started this one and waits for it; its end counts as an interrupt. */
  readonly parent?: number | null;
  /** Time without a poll of the flag after which an interrupted process is ended, in ms. */
  readonly grace?: number;
  /** Clause that says what is kept of a run that is ended in this way. */
  readonly kept?: string;
}

/** First message to the worker. */
export interface Watch extends Required<InterruptOptions> {
  /** See `Interrupts.signal`. */
  readonly signal: Int32Array<SharedArrayBuffer>;
  /** One word that changes with every poll after an interrupt. */
  readonly signs: Int32Array<SharedArrayBuffer>;
  /** One word that becomes 1 once the listeners are removed. */
  readonly closed: Int32Array<SharedArrayBuffer>;
  readonly signals: readonly Deno.Signal[];
  /** One word that becomes 1 at `roundSignal`. */
  readonly atRoundEnd: Int32Array<SharedArrayBuffer>;
  readonly roundSignal: Deno.Signal | null;
  readonly terminal: boolean;
}

/** Interrupts of this process. */
export interface Interrupts {
  /** Returns true if the process was interrupted. Cheap: it reads one word of shared memory. */
  interrupted(): boolean;
  /** One word that becomes 1 on the first signal; workers can wait for it with `Atomics.wait`. */
  readonly signal: Int32Array<SharedArrayBuffer>;
  /** Interrupts the run if the end of a round was asked for. Call it when a round is complete and kept. */
  roundEnded(): void;
  /** Restores the default effect of the signals before it returns. */
  close(): void;
}

/**
 * Reads the value of `TACHO_GRACE`, in seconds, and returns it in ms.
 *
 * @throws {InputError} if it is not a positive number
 */
export function graceOf(text: string | null): number {
  if (text === null || text === "") return GRACE_MS;
  const seconds = Number(text);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds * 1000;
  throw new InputError(`TACHO_GRACE=${text}: expected seconds, such as 10`);
}

/**
 * Listens to SIGINT, SIGTERM, SIGHUP and SIGUSR1 until closed. SIGUSR1 sets the flag at the end of the round. The first of
 * the others sets it immediately; the second ends the process with status 130, like an unhandled SIGINT. So does a process
 * that does not call `interrupted()` for the time of grace after the first one. Resolves once the worker listens.
 */
export async function watchInterrupts(
  { parent = null, grace = GRACE_MS, kept = "nothing is kept" }: InterruptOptions = {},
): Promise<Interrupts> {
  const [signal, signs, closed, atRoundEnd] = [word(), word(), word(), word()];
  const worker = new Worker(import.meta.resolve("./interrupt_worker.ts"), { type: "module", name: "tacho-interrupts" });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.onmessage = () => resolve();
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error(`The worker that listens for interrupts failed: ${event.message}`));
  };
  const signals = interruptSignals();
  const terminal = Deno.stderr.isTerminal();
  const watch: Watch = {
    signal,
    signs,
    closed,
    signals,
    terminal,
    parent,
    grace,
    kept,
    atRoundEnd,
    roundSignal: ROUND_SIGNAL,
  };
  worker.postMessage(watch);
  await promise;
  return {
    interrupted() {
      if (Atomics.load(signal, 0) === 0) return false;
      Atomics.add(signs, 0, 1);
      return true;
    },
    signal,
    roundEnded() {
      if (Atomics.load(atRoundEnd, 0) === 0) return;
      Atomics.store(signal, 0, 1);
      Atomics.notify(signal, 0);
    },
    close: () => {
      // The worker ends itself: terminate() removes the listeners only later, which would lose a signal until then, and
      // stops a thread wherever it is
      worker.postMessage("close");
      if (Atomics.wait(closed, 0, 0, CLOSE_MS) === "timed-out") worker.terminate();
    },
  };
}

function word(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(4));
}
