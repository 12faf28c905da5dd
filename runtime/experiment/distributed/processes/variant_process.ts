import { join } from "node:path";
import { InputError, TachoError } from "../../../core/errors.ts";
import { ExitStatus } from "../../../core/errors.ts";
import { writeFile } from "../../../core/files.ts";
import { EventProcess } from "../../../attach/programs/event_process.ts";
import type { OnProgress } from "../../arm.ts";
import type { ReplyValues, ScenarioSource, VariantCommand, VariantEvent, VariantSettings } from "./protocol.ts";

/** Process of a variant to start. */
export interface VariantStart extends Omit<VariantSettings, "source" | "events" | "parent"> {
  readonly source: ScenarioSource;
  interrupted(): boolean;
}

/** A variant in a separate process, which runs commands and is idle otherwise. */
export class VariantProcess {
  readonly #process: EventProcess<VariantEvent>;
  readonly #arm: string;

  private constructor(process: EventProcess<VariantEvent>, arm: string) {
    this.#process = process;
    this.#arm = arm;
  }

  /** Starts a process, which opens its device. */
  static async start({ source, interrupted, ...settings }: VariantStart): Promise<VariantProcess> {
    const { script, args, flags, scenario, adapter } = source;
    const process = await EventProcess.start<VariantEvent>({
      ...{ env: {}, cwd: null, timeout: null, interrupted },
      command(folder, events) {
        const own = { script, scenario, settings: source.settings, adapter };
        const all: VariantSettings = { ...settings, source: own, events, parent: Deno.pid };
        const file = join(folder, "settings.json");
        writeFile(file, JSON.stringify(all));
        const entry = new URL(import.meta.resolve("./entry.ts"));
        entry.search = new URLSearchParams({ settings: file }).toString();
        // The script is the main module, so that Deno finds its configuration, but the entry never lets it run
        const words = ["run", "-A", ...flags, "--preload", entry.href, script, ...args];
        return Promise.resolve({ program: Deno.execPath(), args: words });
      },
      ended({ code, signal }, lines) {
        const how = signal === null ? `with status ${code}` : `by ${signal}`;
        return new TachoError(
          `measure.processes: the process of ${settings.arm} ended ${how} before the comparison was complete${lines}`,
          ExitStatus.unexpected,
        );
      },
    });
    return new VariantProcess(process, settings.arm);
  }

  /**
   * Runs a command.
   *
   * @throws {TachoError} if the variant fails or its process ends
   * @throws {InterruptedError} if the run is interrupted
   */
  async call<C extends VariantCommand>(command: C, onProgress: OnProgress = () => {}): Promise<ReplyValues[C["do"]]> {
    await this.#process.send(JSON.stringify(command));
    for (;;) {
      const event = await this.#process.next();
      if (event === null) throw new InputError(`measure.processes: the process of ${this.#arm} has ended`);
      if (event.kind === "failed") throw new TachoError(event.message, event.exitStatus);
      if (event.kind === "done") return event.value as ReplyValues[C["do"]];
      onProgress(event.done, event.all);
    }
  }

  /** Ends the process. */
  async close(): Promise<void> {
    await this.#process.close();
  }
}
