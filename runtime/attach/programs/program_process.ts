import { join } from "node:path";
import type { AttachRecord } from "../records.ts";
import type { Steps } from "../settings.ts";
import { InputError } from "../../core/errors.ts";
import { isFolder } from "../../core/files.ts";
import { EventProcess } from "./event_process.ts";
import { decodeOutput } from "./output_value.ts";
import { preloadedCommand } from "./preloaded_command.ts";
import { readRecords } from "./read_records.ts";
import { gateSpecifier, type HeldEvent, type LostEvent, type ProgramEvent } from "./protocol.ts";

/** Time in which a profiled program may write its records, in ms. */
const RECORDS_GRACE = 20_000;

/** Folder of the records, inside that of the program. */
const RECORDS = "records";

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

/** The program came to its end, and may run again. */
export class EndedError extends InputError {
  override name = "EndedError";
}

/** A process that runs steps on request and is held otherwise. */
export interface SteppedProgram {
  /** What it has reported as its outputs so far. */
  readonly outputs: readonly unknown[];
  /** Waits until it is held. */
  held(): Promise<HeldEvent>;
  /** Runs a block of steps. */
  run(steps: number, onSteps?: (done: number) => void): Promise<HeldEvent>;
  /** Ends it. */
  close(): Promise<void>;
}

/** A program in a process, which runs steps on request and is held otherwise. */
export class ProgramProcess implements SteppedProgram {
  readonly #process: EventProcess<ProgramEvent>;
  readonly outputs: unknown[] = [];

  private constructor(process: EventProcess<ProgramEvent>) {
    this.#process = process;
  }

  /**
   * Starts a program.
   *
   * @throws {InputError} if it cannot be started
   */
  static async start({ command, steps, profiled, ...place }: ProgramStart): Promise<ProgramProcess> {
    const { cwd, timeout } = place;
    const start = {
      ...place,
      async command(folder: string, events: string) {
        const records = profiled ? join(folder, RECORDS) : null;
        if (records !== null) await Deno.mkdir(records);
        return preloadedCommand("program()", command, { specifier: gateSpecifier({ events, steps, records }), folder });
      },
      ended,
      hangs: (lines: string) => hangs(timeout, lines),
    };
    try {
      return new ProgramProcess(await EventProcess.start(start));
    } catch (cause) {
      if (!(cause instanceof Deno.errors.NotFound)) throw cause;
      const missing = cwd === null || isFolder(cwd) ? command[0] : `cwd ${cwd}`;
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
      const event = await this.#process.next();
      if (event === null) throw new InputError("The program has ended");
      if (event.kind === "lost") throw lost(event, this.#process.lastLines);
      if (event.kind === "held") return event;
      if (event.kind === "output") this.outputs.push(decodeOutput(event.value));
      else onSteps(event.done);
    }
  }

  /** Runs a block of steps; see {@linkcode held}. */
  async run(steps: number, onSteps?: (done: number) => void): Promise<HeldEvent> {
    await this.#process.send(String(steps));
    return await this.held(onSteps);
  }

  /** Ends a profiled program, and returns the records of its steps. */
  async records(): Promise<AttachRecord[][]> {
    await this.#process.end(RECORDS_GRACE);
    return await readRecords(join(this.#process.folder, RECORDS));
  }

  /** Ends the program. */
  async close(): Promise<void> {
    await this.#process.close();
  }
}

function ended({ code, signal }: Deno.CommandStatus, lines: string): InputError {
  const how = signal === null ? `with status ${code}` : `by ${signal}`;
  const message = `The program ended ${how} before the comparison was complete`;
  return code === 0
    ? new EndedError(`${message}; let it run more steps, or measure fewer${lines}`)
    : new InputError(`${message}${lines}`);
}

function hangs(timeout: number, lines: string): InputError {
  return new InputError(
    `The program took no step for ${timeout / 1000} s; end its steps with performance.mark("step"), or say ` +
      `with --steps where they end${lines}`,
  );
}

function lost({ reason, message }: LostEvent, lines: string): InputError {
  const how = reason === "destroyed" ? "was destroyed" : "was lost";
  return new InputError(`The program's device ${how} before the comparison was complete: ${message}${lines}`);
}
