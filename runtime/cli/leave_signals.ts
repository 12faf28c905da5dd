import { ExitStatus } from "../core/errors.ts";
import { interruptSignals } from "../experiment/interrupts/signals.ts";

/**
 * Lets rank 0 decide about interrupts: launchers send them to all ranks, but only rank 0 prints and keeps results, and it
 * ends the others. A second signal ends this process.
 *
 * @returns a function that restores the default effect
 */
export function leaveSignals(): () => void {
  let received = 0;
  const listener = () => {
    if (++received > 1) Deno.exit(ExitStatus.interrupted);
  };
  const signals = interruptSignals();
  for (const signal of signals) Deno.addSignalListener(signal, listener);
  return () => {
    for (const signal of signals) Deno.removeSignalListener(signal, listener);
  };
}
