import { join } from "node:path";
import { InputError } from "../../../core/errors.ts";
import { isInstance } from "../../../core/is_instance.ts";
import { LARGEST, readText, writeFile } from "../../../core/files.ts";
import { EventProcess } from "../event_process.ts";
import { lastLines } from "../last_lines.ts";
import { EndedError, type SteppedProgram } from "../program_process.ts";
import type { HeldEvent } from "../protocol.ts";
import { descendants, signal } from "./processes.ts";
import {
  type CommandEvent,
  type CommandRequest,
  type CommandSettings,
  type RunFacts,
  STDERR_FILE,
  STDOUT_FILE,
} from "./protocol.ts";

/** Time in which the processes of a command end, and in which what follows the last run may end, in ms. */
const [GRACE, CLEANUP_GRACE] = [5000, 60_000];

/** Lines of stderr that a message shows. */
const LINES = 5;

/** The process that starts a command has ended. */
class StarterError extends InputError {
  override name = "StarterError";
}

/** A command to start. */
export interface CommandStart extends Omit<CommandSettings, "events" | "folder"> {
  readonly env: Readonly<Record<string, string>>;
  /** Working directory; null for that of this process. */
  readonly cwd: string | null;
  interrupted(): boolean;
}

/** Process that starts a command as often as it is asked to. */
export class CommandProcess {
  readonly #process: EventProcess<CommandEvent>;
  readonly #start: CommandStart;
  /** Process of the command that was started last. */
  #pid: number | null = null;

  private constructor(process: EventProcess<CommandEvent>, start: CommandStart) {
    this.#process = process;
    this.#start = start;
  }

  static async start(start: CommandStart): Promise<CommandProcess> {
    const { env, cwd, interrupted, ...settings } = start;
    const process = await EventProcess.start<CommandEvent>({
      ...{ env, cwd, interrupted, timeout: null },
      command(folder, events) {
        const path = join(folder, "settings.json");
        writeFile(path, JSON.stringify({ ...settings, folder, events } satisfies CommandSettings));
        const args = ["run", "-q", "-A", "--no-config", "--no-lock", import.meta.resolve("./runner.ts"), path];
        return Promise.resolve({ program: Deno.execPath(), args });
      },
      ended({ code, signal }, lines) {
        const how = signal === null ? `with status ${code}` : `by ${signal}`;
        return new StarterError(`The process that starts the command ended ${how}${lines}`);
      },
    });
    return new CommandProcess(process, start);
  }

  /**
   * Runs the command from its start to its end.
   *
   * @throws {TachoError} if a command around the runs fails, or the run takes too long
   * @throws {InterruptedError} if the run is interrupted
   */
  async run(): Promise<RunFacts> {
    await this.#send({ do: "run" });
    const event = await this.#next();
    if (event.kind !== "run") throw new TypeError(`Expected a run, got ${event.kind}`);
    return event.run;
  }

  /** Path of the stdout of the last run, where it is kept. */
  get stdout(): string {
    return join(this.#process.folder, STDOUT_FILE);
  }

  /** Starts the command, to be held after its first step. */
  async step(): Promise<SteppedProgram> {
    await this.#send({ do: "start" });
    return {
      outputs: [],
      held: () => this.#held(),
      run: async (steps, onSteps) => {
        await this.#send({ do: "steps", count: steps });
        const held = await this.#held();
        onSteps?.(steps);
        return held;
      },
      close: () => this.#send({ do: "stop" }),
    };
  }

  /** Returns the phrase with the last lines on the command's stderr; empty without any. */
  lastLines(): string {
    try {
      const lines = lastLines(readText(join(this.#process.folder, STDERR_FILE), LARGEST.shard), LINES);
      return lines.length === 0 ? "" : `. Its last lines on stderr:\n${lines.map((line) => `  ${line}`).join("\n")}`;
    } catch {
      return "";
    }
  }

  /** Ends the command, and runs what follows the last run. Returns what the user should know about that; null for nothing. */
  async close(): Promise<string | null> {
    await this.#process.end(this.#start.cleanup === null ? GRACE : CLEANUP_GRACE);
    const warning = await this.#warning();
    await this.#process.close();
    return warning;
  }

  /** Returns what has failed after the last run, once the process has ended. */
  async #warning(): Promise<string | null> {
    this.#pid = null;
    try {
      for (;;) await this.#next();
    } catch (error) {
      return isInstance(error, InputError) && error.message.startsWith("cleanup") ? error.message : null;
    }
  }

  async #held(): Promise<HeldEvent> {
    const event = await this.#next();
    if (event.kind === "ended") {
      const message = `The command ended with status ${event.status} before the comparison was complete`;
      const fix = event.status === 0
        ? "; let it run more steps, measure fewer, or check that a line on stdout matches --steps"
        : "";
      const error = `${message}${fix}${this.lastLines()}`;
      throw event.status === 0 ? new EndedError(error) : new InputError(error);
    }
    const { times, losses } = event.kind === "held" ? event : { times: [], losses: [] };
    return { kind: "held", device: null, times, losses, work: null, end: 0, start: null };
  }

  async #next(): Promise<CommandEvent> {
    const event = await this.#process.next().catch((error) => {
      if (isInstance(error, StarterError)) this.#endCommand();
      throw error;
    });
    if (event === null) throw new InputError("The command has ended");
    if (event.kind === "started") {
      this.#pid = event.pid;
      return await this.#next();
    }
    if (event.kind === "timeout") {
      const { line, timeout } = this.#start;
      const what = line === null ? "did not end" : "printed no line that ends a step";
      throw new InputError(`The command ${what} for ${timeout / 1000} s (--timeout)${this.lastLines()}`);
    }
    if (event.kind === "failed") {
      throw new InputError(`${event.which} "${event.command}" ended with status ${event.status}${this.lastLines()}`);
    }
    return event;
  }

  /** Ends the processes of the command, which nobody else does. */
  #endCommand(): void {
    if (this.#pid === null) return;
    for (const pid of [...descendants(this.#pid), -this.#pid]) signal(pid, "SIGKILL");
  }

  #send(request: CommandRequest): Promise<void> {
    return this.#process.send(JSON.stringify(request));
  }
}
