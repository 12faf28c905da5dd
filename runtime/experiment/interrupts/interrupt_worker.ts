/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * The thread that hears signals while the main thread waits for the device; see interrupts.ts.
 *
 * @module
 */

import type { Watch } from "./interrupts.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

self.onmessage = ({ data: { signal, closed, terminal } }: MessageEvent<Watch>) => {
  const listener = () => {
    if (Atomics.exchange(signal, 0, 1) === 0) {
      Atomics.notify(signal, 0);
      say(`${terminal ? "\r\x1b[2K" : ""}Interrupted: finishing the step (once more to end at once)\n`);
      return;
    }
    say(terminal ? "\r\x1b[2K" : "");
    // Deno.exit() would end this worker only, not the process whose main thread is blocked. Without a listener the
    // signal regains its default effect, which is to end the process wherever its threads are.
    for (const name of SIGNALS) Deno.removeSignalListener(name, listener);
    Deno.kill(Deno.pid, "SIGINT");
  };
  for (const name of SIGNALS) Deno.addSignalListener(name, listener);
  self.onmessage = () => {
    for (const name of SIGNALS) Deno.removeSignalListener(name, listener);
    Atomics.store(closed, 0, 1);
    Atomics.notify(closed, 0);
  };
  self.postMessage("listening");
};

function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(text));
}
