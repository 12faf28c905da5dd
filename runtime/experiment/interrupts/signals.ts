import { readKernelFile } from "../../core/files.ts";

/** Signal that interrupts a run at the end of its round, as before the time limit of a job; null where there is none. */
export const ROUND_SIGNAL: Deno.Signal | null = Deno.build.os === "windows" ? null : "SIGUSR1";

/**
 * Returns the signals that interrupt a run. SIGHUP is one of them only where this process is known not to ignore it:
 * `nohup` makes a process ignore it, and a listener would end that.
 */
export function interruptSignals(): readonly Deno.Signal[] {
  if (Deno.build.os === "windows") return ["SIGINT"];
  return heedsHangup() ? ["SIGINT", "SIGTERM", "SIGHUP"] : ["SIGINT", "SIGTERM"];
}

/** Calls `listener` at each interrupt, until disposed. */
export function onInterrupt(listener: () => void): Disposable {
  const signals = interruptSignals();
  for (const signal of signals) Deno.addSignalListener(signal, listener);
  return {
    [Symbol.dispose]() {
      for (const signal of signals) Deno.removeSignalListener(signal, listener);
    },
  };
}

/** Returns false if this process ignores SIGHUP, or if that is unknown: outside Linux, or without permission to read. */
function heedsHangup(): boolean {
  const path = "/proc/self/status";
  if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return false;
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readKernelFile(path))?.[1];
    return mask !== undefined && (BigInt(`0x${mask}`) & 1n) === 0n; // the lowest bit is signal 1
  } catch {
    return false;
  }
}
