import { InputError } from "../../core/errors.ts";
import { quietDriver } from "../../device/environment.ts";
import type { ProgramCommand } from "../../attach/programs/preloaded_command.ts";

/** Signals that another process may send to this one, meant for the program. */
const FORWARDED: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/**
 * Runs a program with the standard streams of this process, and returns its status; 128 and the signal's number, as in a
 * shell, if a signal ended it. It is in the same process group, so a terminal's signals reach
 * both; this process goes on until the program has ended. Other signals are passed on. The second signal kills a program
 * that ignores the first.
 *
 * @throws {InputError} if the program cannot be started
 */
export async function runProgram({ program, args }: ProgramCommand): Promise<number> {
  let child: Deno.ChildProcess;
  quietDriver();
  try {
    const streams = { stdin: "inherit", stdout: "inherit", stderr: "inherit" } as const;
    child = new Deno.Command(program, { args: [...args], ...streams }).spawn();
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound ? "not found" : (cause as Error).message;
    throw new InputError(`tacho attach: ${program} cannot be started: ${reason}`, { cause });
  }
  const isForeground = Deno.stdin.isTerminal();
  let signals = 0;
  const listeners = FORWARDED.map((signal) => {
    const listener = () => {
      if (++signals > 1) return send(child, "SIGKILL");
      // Ctrl-C and Ctrl-\ in a terminal have reached the program already
      if (!(isForeground && (signal === "SIGINT" || signal === "SIGQUIT"))) send(child, signal);
    };
    Deno.addSignalListener(signal, listener);
    return { signal, listener };
  });
  try {
    return (await child.status).code;
  } finally {
    for (const { signal, listener } of listeners) Deno.removeSignalListener(signal, listener);
  }
}

function send(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // it has already ended
  }
}
