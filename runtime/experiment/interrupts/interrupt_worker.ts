/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * Worker that receives signals while the main thread waits for the device; see interrupts.ts.
 *
 * @module
 */

import type { Watch } from "./interrupts.ts";

/** Interval of checks that the parent process is alive and that the main thread responds, in ms. */
const CHECK_MS = 200;

/** Time after which a process that SIGINT has not ended is killed, in ms. */
const KILL_MS = 1000;

self.onmessage = ({ data: watch }: MessageEvent<Watch>) => {
  const { signal, signs, closed, signals, terminal, parent, grace, kept, atRoundEnd, roundSignal } = watch;
  const clear = terminal ? "\r\x1b[2K" : "";
  let response: ReturnType<typeof setInterval> | undefined;
  /** Sets the flag and prints a message. Returns false if the flag was set before. */
  const interrupt = (words: string) => {
    if (Atomics.exchange(signal, 0, 1) !== 0) return false;
    Atomics.notify(signal, 0);
    say(`${clear}${words}\n`);
    response = watchResponse();
    return true;
  };
  /** Ends the process if the main thread polls the flag no more. */
  const watchResponse = () => {
    let last = Atomics.load(signs, 0);
    let waited = 0; // counted in intervals instead of clock time: a suspended process has not waited
    const interval = Math.min(CHECK_MS, grace);
    return setInterval(() => {
      const count = Atomics.load(signs, 0);
      waited = count === last ? waited + interval : 0;
      last = count;
      if (waited < grace) return;
      say(`${clear}Interrupted: the step has not finished in ${grace / 1000} s, so the process ends now; ${kept}\n`);
      end();
    }, interval);
  };
  const end = () => {
    stop();
    // Deno.exit() would end only this worker. Without a listener, the signal has its default effect, which ends the
    // process even if its main thread is blocked.
    kill("SIGINT");
    setTimeout(() => kill("SIGKILL"), KILL_MS);
  };
  const listener = () => {
    if (interrupt("Interrupted: finishing the step (once more to end at once)")) return;
    say(clear);
    end();
  };
  const roundListener = () => {
    if (Atomics.exchange(atRoundEnd, 0, 1) === 0) say(`${clear}Interrupted: finishing the round\n`);
  };
  for (const name of signals) Deno.addSignalListener(name, listener);
  if (roundSignal !== null) Deno.addSignalListener(roundSignal, roundListener);
  const check = parent === null ? undefined : setInterval(() => {
    if (Deno.ppid !== parent) interrupt("Interrupted, as the process that started this run has gone");
  }, CHECK_MS);
  const stop = () => {
    clearInterval(check);
    clearInterval(response);
    for (const name of signals) Deno.removeSignalListener(name, listener);
    if (roundSignal !== null) Deno.removeSignalListener(roundSignal, roundListener);
  };
  self.onmessage = () => {
    stop();
    Atomics.store(closed, 0, 1);
    Atomics.notify(closed, 0);
    self.close();
  };
  self.postMessage("listening");
};

function kill(signal: Deno.Signal): void {
  try {
    Deno.kill(Deno.pid, signal);
  } catch {
    // Not permitted in a sandbox, where the process that has started this one ends it
  }
}

function say(text: string): void {
  try {
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  } catch {
    // The reader of stderr has ended, too
  }
}
