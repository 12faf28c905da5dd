import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InterruptedError, type TachoError } from "../../core/errors.ts";
import { openToWrite } from "../../core/files.ts";
import { lastLines } from "./last_lines.ts";
import type { ProgramCommand } from "./preloaded_command.ts";

/** Time between looks for events, in ms. */
const POLL = 5;

/** Time in which a process may end after the end of its stdin, in ms. */
const GRACE = 1000;

/** Characters of stderr that are remembered, and lines that a message shows. */
const STDERR = { characters: 4000, lines: 5 } as const;

/** A process to start. */
export interface EventProcessStart {
  /** Environment variables, in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory; null for that of this process. */
  readonly cwd: string | null;
  /** Longest time without an event, in ms; null for no limit. */
  readonly timeout: number | null;
  interrupted(): boolean;
  /**
   * Returns the command line.
   *
   * @param folder folder that is removed when the process is closed
   * @param events file for the events, in that folder
   */
  command(folder: string, events: string): Promise<ProgramCommand>;
  /**
   * Returns the error of a process that has ended by itself.
   *
   * @param lines phrase with the last lines on its stderr; empty without any
   */
  ended(status: Deno.CommandStatus, lines: string): TachoError;
  /** Returns the error of a process without an event for too long. */
  hangs?(lines: string): TachoError;
}

/**
 * A process that appends events to a file, one JSON object a line, and reads commands from its stdin, one a line. Its stdout
 * is discarded.
 */
export class EventProcess<E> {
  /** Folder of the process, which is removed when it is closed. */
  readonly folder: string;
  readonly #start: EventProcessStart;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #events: AsyncGenerator<E>;
  #status: Deno.CommandStatus | null = null;
  #stderr = "";
  readonly #drained: Promise<void>;

  private constructor(start: EventProcessStart, folder: string, child: Deno.ChildProcess, events: Deno.FsFile) {
    this.folder = folder;
    this.#start = start;
    this.#child = child;
    this.#input = child.stdin.getWriter();
    this.#events = this.#read(events);
    void child.status.then((status) => this.#status = status);
    this.#drained = this.#drain();
  }

  /** Starts a process. The error of the runtime is thrown if it cannot be started. */
  static async start<E>(start: EventProcessStart): Promise<EventProcess<E>> {
    const folder = await Deno.makeTempDir({ prefix: "tacho-program-" });
    const path = join(folder, "events.jsonl");
    const events = openToWrite(path, { create: true, read: true, write: true });
    try {
      const { program, args } = await start.command(folder, path);
      const streams = { stdin: "piped", stdout: "null", stderr: "piped" } as const;
      // Apart from this process group, so that Ctrl-C in a terminal reaches only this process, which then ends the other
      const place = { env: start.env, ...start.cwd === null ? {} : { cwd: start.cwd } };
      const child = new Deno.Command(program, { args: [...args], ...place, ...streams, detached: true }).spawn();
      return new EventProcess(start, folder, child, events);
    } catch (error) {
      events.close();
      await Deno.remove(folder, { recursive: true });
      throw error;
    }
  }

  /**
   * Waits for the next event.
   *
   * @throws {TachoError} if the process ends, or sends none for too long
   * @throws {InterruptedError} if the run is interrupted
   */
  async next(): Promise<E | null> {
    const { value, done } = await this.#events.next();
    return done ? null : value;
  }

  /** Sends a command. A process that has ended is reported by {@linkcode next}. */
  async send(command: string): Promise<void> {
    await this.#input.write(new TextEncoder().encode(`${command}\n`)).catch(() => {});
  }

  /** Lets the process end within a time in ms, and kills it otherwise. */
  async end(grace: number): Promise<void> {
    await this.#input.close().catch(() => {});
    for (let waited = 0; this.#status === null && waited < grace; waited += POLL) await sleep(POLL);
    this.#kill();
    await this.#child.status;
  }

  /** Ends the process and removes its folder. */
  async close(): Promise<void> {
    await this.end(GRACE);
    await this.#events.return(undefined);
    await this.#drained;
    await Deno.remove(this.folder, { recursive: true });
  }

  /** Phrase with the last lines on stderr; empty without any. */
  get lastLines(): string {
    const lines = lastLines(this.#stderr, STDERR.lines);
    return lines.length === 0 ? "" : `. Its last lines on stderr:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  }

  #kill(): void {
    if (this.#status !== null) return;
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // it has already ended
    }
  }

  /** Yields the events in order. */
  async *#read(file: Deno.FsFile): AsyncGenerator<E> {
    const { interrupted, ended, hangs, timeout } = this.#start;
    const decoder = new TextDecoder();
    const bytes = new Uint8Array(64 * 1024);
    let text = "";
    let latest = performance.now();
    try {
      for (;;) {
        if (interrupted()) throw new InterruptedError();
        const status = this.#status; // before the read, so that the last events are read
        const count = await file.read(bytes) ?? 0;
        text += decoder.decode(bytes.subarray(0, count), { stream: true });
        const lines = text.split("\n");
        text = lines.pop()!;
        for (const line of lines) {
          yield JSON.parse(line) as E;
          latest = performance.now();
        }
        if (count > 0) continue;
        if (status !== null) {
          await this.#drained;
          throw ended(status, this.lastLines);
        }
        if (hangs !== undefined && timeout !== null && performance.now() - latest > timeout) {
          this.#kill();
          throw hangs(this.lastLines);
        }
        await sleep(POLL);
      }
    } finally {
      file.close();
    }
  }

  /** Reads stderr as it comes, so that the process never waits for it. */
  async #drain(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      this.#stderr = (this.#stderr + decoder.decode(chunk, { stream: true })).slice(-STDERR.characters);
    }
  }
}
