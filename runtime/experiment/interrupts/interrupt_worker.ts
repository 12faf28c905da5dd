/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * Worker that receives signals while the main thread waits for the device; see interrupts.ts.
 *
 * @module
 */

import type { Watch } from "./interrupts.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Interval of checks that the parent process is alive, in ms. */
const CHECK_MS = 200;

self.onmessage = ({ data: { signal, closed, terminal, parent } }: MessageEvent<Watch>) => {
  const clear = terminal ? "\r\x1b[2K" : "";
  /** Sets the flag and prints a message. Returns false if the flag was set before. */
  const interrupt = (words: string) => {
    if (Atomics.exchange(signal, 0, 1) !== 0) return false;
    Atomics.notify(signal, 0);
    say(`${clear}${words}\n`);
    return true;
  };
  const listener = () => {
    if (interrupt("Interrupted: finishing the step (once more to end at once)")) return;
    say(clear);
    // Deno.exit() would end only this worker. Without a listener, the signal has its default effect, which ends the
    // process even if its main thread is blocked.
    for (const name of SIGNALS) Deno.removeSignalListener(name, listener);
    Deno.kill(Deno.pid, "SIGINT");
  };
  for (const name of SIGNALS) Deno.addSignalListener(name, listener);
  const check = parent === null ? undefined : setInterval(() => {
    if (Deno.ppid !== parent) interrupt("Interrupted, as the process that started this run has gone");
  }, CHECK_MS);
  self.onmessage = () => {
    clearInterval(check);
    for (const name of SIGNALS) Deno.removeSignalListener(name, listener);
    Atomics.store(closed, 0, 1);
    Atomics.notify(closed, 0);
  };
  self.postMessage("listening");
};

function say(text: string): void {
  try {
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  } catch {
    // The reader of stderr has ended, too
  }
}
