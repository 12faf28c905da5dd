/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * The thread that hears signals while the main thread waits for the device; see interrupts.ts.
 *
 * @module
 */

import type { Watch } from "./interrupts.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Between looks at whether the parent is still there: milliseconds. */
const LOOK_MS = 200;

self.onmessage = ({ data: { signal, closed, terminal, parent } }: MessageEvent<Watch>) => {
  const clear = terminal ? "\r\x1b[2K" : "";
  /** False where it was asked for before. */
  const interrupt = (words: string) => {
    if (Atomics.exchange(signal, 0, 1) !== 0) return false;
    Atomics.notify(signal, 0);
    say(`${clear}${words}\n`);
    return true;
  };
  const listener = () => {
    if (interrupt("Interrupted: finishing the step (once more to end at once)")) return;
    say(clear);
    // Deno.exit() would end this worker only, not the process whose main thread is blocked. Without a listener the
    // signal regains its default effect, which is to end the process wherever its threads are.
    for (const name of SIGNALS) Deno.removeSignalListener(name, listener);
    Deno.kill(Deno.pid, "SIGINT");
  };
  for (const name of SIGNALS) Deno.addSignalListener(name, listener);
  const look = parent === null ? undefined : setInterval(() => {
    if (Deno.ppid !== parent) interrupt("Interrupted, as the process that started this run has gone");
  }, LOOK_MS);
  self.onmessage = () => {
    clearInterval(look);
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
    // the one who read it has gone too
  }
}
