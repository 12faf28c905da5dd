import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AttachRecord } from "../attach/records.ts";
import type { Steps } from "../attach/settings.ts";
import { InputError, InterruptedError, type TachoError } from "../core/errors.ts";
import { lastLines } from "./last_lines.ts";
import { preloadedCommand } from "./preloaded_command.ts";
import { readRecords } from "./read_records.ts";
import { gateSpecifier, type HeldEvent, type LostEvent, type ProgramEvent } from "./protocol.ts";

/** Time between looks for events, in ms. */
const POLL = 5;

/** Time in which a program may end after the end of its stdin, in ms. */
const GRACE = 1000;

/** Time in which a profiled program may write its records, in ms. */
const RECORDS_GRACE = 20_000;

/** Folder of the records, inside that of the program. */
const RECORDS = "records";

/** Characters of stderr that are remembered, and lines that a message shows. */
const STDERR = { characters: 4000, lines: 5 } as const;

/** A program to start. */
export interface ProgramStart {
  /** Words of the command, which begins with `deno`. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Working directory; null for that of this process. */
  readonly cwd: string | null;
  readonly steps: Steps;
  /** Longest time without a step, in ms. */
  readonly timeout: number;
  /** Times kernels and keeps the records of the steps, for a profile. */
  readonly profiled: boolean;
  interrupted(): boolean;
}

/** A program in a process, which runs steps on request and is held otherwise. */
export class ProgramProcess {
  readonly #start: ProgramStart;
  readonly #folder: string;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #events: AsyncGenerator<ProgramEvent>;
  #status: Deno.CommandStatus | null = null;
  #stderr = "";
  readonly #drained: Promise<void>;

  private constructor(start: ProgramStart, folder: string, child: Deno.ChildProcess, events: Deno.FsFile) {
    this.#start = start;
    this.#folder = folder;
    this.#child = child;
    this.#input = child.stdin.getWriter();
    this.#events = this.#read(events);
    void child.status.then((status) => this.#status = status);
    this.#drained = this.#drain();
  }

  /**
   * Starts a program.
   *
   * @throws {InputError} if it cannot be started
   */
  static async start(start: ProgramStart): Promise<ProgramProcess> {
    const folder = await Deno.makeTempDir({ prefix: "tacho-program-" });
    const path = join(folder, "events.jsonl");
    const events = await Deno.open(path, { create: true, read: true, write: true });
    try {
      const records = start.profiled ? join(folder, RECORDS) : null;
      if (records !== null) await Deno.mkdir(records);
      const specifier = gateSpecifier({ events: path, steps: start.steps, records });
      const { program, args } = preloadedCommand("program()", start.command, { specifier, folder });
      const streams = { stdin: "piped", stdout: "null", stderr: "piped" } as const;
      // Apart from this process group, so that Ctrl-C in a terminal reaches only this process, which then ends the program
      const place = { env: start.env, ...start.cwd === null ? {} : { cwd: start.cwd } };
      const child = new Deno.Command(program, { args: [...args], ...place, ...streams, detached: true }).spawn();
      return new ProgramProcess(start, folder, child, events);
    } catch (cause) {
      events.close();
      await Deno.remove(folder, { recursive: true });
      if (!(cause instanceof Deno.errors.NotFound)) throw cause;
      const missing = start.cwd === null || await exists(start.cwd) ? start.command[0] : `cwd ${start.cwd}`;
      throw new InputError(`The program cannot be started: ${missing} is not found`, { cause });
    }
  }

  /**
   * Waits until the program is held.
   *
   * @param onSteps called with the steps done
   * @throws {TachoError} if it ends, loses its device, or takes no step for too long
   * @throws {InterruptedError} if the run is interrupted
   */
  async held(onSteps: (done: number) => void = () => {}): Promise<HeldEvent> {
    for (;;) {
      const { value: event, done } = await this.#events.next();
      if (done) throw new InputError("The program has ended");
      if (event.kind === "lost") throw this.#lost(event);
      if (event.kind === "held") return event;
      onSteps(event.done);
    }
  }

  /** Runs a block of steps; see {@linkcode held}. */
  async run(steps: number, onSteps?: (done: number) => void): Promise<HeldEvent> {
    await this.#input.write(new TextEncoder().encode(`${steps}\n`)).catch(() => {}); // it has ended, which held() reports
    return await this.held(onSteps);
  }

  /** Ends a profiled program, and returns the records of its steps. */
  async records(): Promise<AttachRecord[][]> {
    await this.#end(RECORDS_GRACE);
    return await readRecords(join(this.#folder, RECORDS));
  }

  /** Ends the program. */
  async close(): Promise<void> {
    await this.#end(GRACE);
    await this.#events.return(undefined);
    await this.#drained;
    await Deno.remove(this.#folder, { recursive: true });
  }

  /** Lets the program end within a time in ms, and kills it otherwise. */
  async #end(grace: number): Promise<void> {
    await this.#input.close().catch(() => {});
    for (let waited = 0; this.#status === null && waited < grace; waited += POLL) await sleep(POLL);
    this.#kill();
    await this.#child.status;
  }

  #kill(): void {
    if (this.#status !== null) return;
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // it has already ended
    }
  }

  /** Yields the events of the program in order. */
  async *#read(file: Deno.FsFile): AsyncGenerator<ProgramEvent> {
    const decoder = new TextDecoder();
    const bytes = new Uint8Array(64 * 1024);
    let text = "";
    let latest = performance.now();
    try {
      for (;;) {
        if (this.#start.interrupted()) throw new InterruptedError();
        const status = this.#status; // before the read, so that the last events are read
        const count = await file.read(bytes) ?? 0;
        text += decoder.decode(bytes.subarray(0, count), { stream: true });
        const lines = text.split("\n");
        text = lines.pop()!;
        for (const line of lines) {
          yield JSON.parse(line) as ProgramEvent;
          latest = performance.now();
        }
        if (count > 0) continue;
        if (status !== null) throw await this.#ended(status);
        if (performance.now() - latest > this.#start.timeout) throw this.#hangs();
        await sleep(POLL);
      }
    } finally {
      file.close();
    }
  }

  async #ended({ code, signal }: Deno.CommandStatus): Promise<TachoError> {
    await this.#drained;
    const how = signal === null ? `with status ${code}` : `by ${signal}`;
    const fix = code === 0 ? "; let it run more steps, or measure fewer" : "";
    return new InputError(`The program ended ${how} before the comparison was complete${fix}${this.#lastLines()}`);
  }

  #hangs(): TachoError {
    this.#kill();
    return new InputError(
      `The program took no step for ${
        this.#start.timeout / 1000
      } s; end its steps with performance.mark("step"), or say ` +
        `with --steps where they end${this.#lastLines()}`,
    );
  }

  #lost({ reason, message }: LostEvent): TachoError {
    const how = reason === "destroyed" ? "was destroyed" : "was lost";
    return new InputError(
      `The program's device ${how} before the comparison was complete: ${message}${this.#lastLines()}`,
    );
  }

  #lastLines(): string {
    const lines = lastLines(this.#stderr, STDERR.lines);
    return lines.length === 0 ? "" : `. Its last lines on stderr:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  }

  /** Reads stderr as it comes, so that the program never waits for it. */
  async #drain(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      this.#stderr = (this.#stderr + decoder.decode(chunk, { stream: true })).slice(-STDERR.characters);
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
