import { interruptSignals, ROUND_SIGNAL } from "../experiment/interrupts/signals.ts";

/** Signals of job control, which a terminal sends to its foreground processes only. */
const JOB_CONTROL = Deno.build.os === "windows" ? [] : ["SIGTSTP", "SIGCONT"] as const;

/** Forwarding of signals to a child process until disposed. */
export interface Forwarding extends Disposable {
  /** True once an interrupt has killed the child. */
  readonly killed: boolean;
}

/**
 * Forwards signals to a child process that is in its own process group, until disposed: an interrupt ends it cleanly,
 * the signal for the end of a round reaches it, and Ctrl-Z stops it with this process.
 *
 * @param killAfter kills a child that may ignore an interrupt: at the second one, or this many ms after the first; null
 *   for neither
 */
export function forwardSignals(child: Deno.ChildProcess, killAfter: number | null = null): Forwarding {
  const listeners = new Map<Deno.Signal, () => void>();
  let interrupts = 0;
  let killed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const kill = () => {
    killed = true;
    send(child, "SIGKILL");
  };
  // The child may be unable to tell whether it ignores SIGHUP, and treats SIGTERM the same
  for (const signal of interruptSignals()) {
    listeners.set(signal, () => {
      if (++interrupts > 1 && killAfter !== null) return kill();
      if (killAfter !== null) timer = setTimeout(kill, killAfter);
      send(child, signal === "SIGHUP" ? "SIGTERM" : signal);
    });
  }
  if (ROUND_SIGNAL !== null) listeners.set(ROUND_SIGNAL, () => send(child, ROUND_SIGNAL!));
  for (const signal of JOB_CONTROL) {
    listeners.set(signal, () => {
      // SIGTSTP has no effect on a group whose session has no other process
      send(child, signal === "SIGTSTP" ? "SIGSTOP" : signal);
      if (signal === "SIGTSTP") Deno.kill(Deno.pid, "SIGSTOP");
    });
  }
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  return {
    get killed() {
      return killed;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
    },
  };
}

function send(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // it has already ended
  }
}
