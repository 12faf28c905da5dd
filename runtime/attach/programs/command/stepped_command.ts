import type { Loss } from "../protocol.ts";
import { descendants, signal, stateOf } from "./processes.ts";
import type { CommandFiles, Launched } from "./host.ts";
import { launch, resume, STDIN } from "./launch.ts";
import { openProcess, openTerminal, poll, type Terminal, waitFor } from "./libc.ts";
import type { CommandEvent } from "./protocol.ts";
import { StepLines } from "./step_lines.ts";

/** A step, at a time on the clock that stands still while the command is stopped. */
interface Step {
  readonly at: number;
  readonly loss: Loss | null;
}

/**
 * A command that runs steps on request and is stopped otherwise. Lines on its stdout, a terminal, end its steps. What it does
 * after a line until it is stopped belongs to the next step, and so does its time.
 */
export class SteppedCommand {
  readonly #pid: number;
  readonly #terminal: Terminal;
  readonly #lines: StepLines;
  readonly #timeout: number;
  #open = true;
  /** Exit status of the command; null while it runs. */
  #status: number | null = null;
  /** Time that it had run when it was let run last, and the time of that. */
  #ran = 0;
  #resumed = 0;
  /** End of the last step that was reported, and the steps after it. */
  #last = 0;
  #steps: Step[] = [];

  private constructor(pid: number, terminal: Terminal, line: string, timeout: number) {
    this.#pid = pid;
    this.#terminal = terminal;
    this.#lines = new StepLines(line);
    this.#timeout = timeout;
  }

  /** Starts a command, which is stopped before it begins. */
  static async start(
    launched: Launched,
    files: Omit<CommandFiles, "stdout">,
    { line, timeout, started }: { readonly line: string; readonly timeout: number; started(pid: number): void },
  ): Promise<SteppedCommand> {
    const terminal = openTerminal();
    const pid = await launch(launched, { ...files, stdout: terminal.path });
    started(pid);
    const command = new SteppedCommand(pid, terminal, line, timeout);
    command.#wait({ block: true });
    return command;
  }

  /** Runs a number of steps, with the time of each. Returns null once stdin is closed. */
  run(count: number): CommandEvent | null {
    using process = this.#status === null ? openProcess(this.#pid) : null;
    resume(this.#pid);
    this.#others("SIGCONT");
    this.#resumed = performance.now();
    let latest = this.#resumed;
    while (this.#steps.length < count) {
      if (this.#status !== null) return { kind: "ended", status: this.#status };
      const files = [...this.#open ? [this.#terminal.fd] : [], process!.fd, STDIN];
      const ready = poll(files, Math.max(0, latest + this.#timeout - performance.now()));
      const now = performance.now();
      if (ready.length === 0) return { kind: "timeout" };
      if (ready.includes(STDIN)) return null;
      if (ready.includes(this.#terminal.fd)) {
        if (this.#read(now) > 0) latest = now;
      } else this.#wait({ block: true });
    }
    this.#hold();
    const done = this.#steps.splice(0, count);
    const times = done.map(({ at }, i) => at - (done[i - 1]?.at ?? this.#last));
    this.#last = done.at(-1)!.at;
    return { kind: "held", times, losses: done.map(({ loss }) => loss) };
  }

  [Symbol.dispose](): void {
    this.#terminal[Symbol.dispose]();
  }

  /** Reads output at a time. Returns the number of steps that it ends. */
  #read(now: number): number {
    const bytes = this.#terminal.read();
    if (bytes.length === 0) this.#open = false;
    const steps = this.#lines.add(bytes, this.#ran + now - this.#resumed);
    this.#steps.push(...steps.map(({ time, loss }) => ({ at: time, loss })));
    return steps.length;
  }

  #hold(): void {
    signal(-this.#pid, "SIGSTOP");
    this.#others("SIGSTOP");
    while (!this.#isStill()) poll([], 0);
    const now = performance.now();
    while (this.#open && poll([this.#terminal.fd], 0).length > 0) this.#read(now);
    this.#ran += now - this.#resumed;
  }

  /** Returns true once it is stopped, has ended, or waits for a process of its own to start, which is stopped. */
  #isStill(): boolean {
    if (this.#status !== null) return true;
    this.#wait({ block: false });
    return this.#status !== null || ["T", "D"].includes(stateOf(this.#pid));
  }

  #wait(how: { readonly block: boolean }): void {
    const state = waitFor(this.#pid, how);
    if (state.state === "ended") this.#status = state.status;
  }

  /** Sends a signal to its processes that may be in groups of their own. */
  #others(name: Deno.Signal): void {
    for (const pid of descendants(this.#pid)) signal(pid, name);
  }
}
