import type { Loss } from "../../../result/schema.ts";
import type { KeptBlock } from "../../../store/run_recorder.ts";
import type { ArmProcess, OnProgress } from "../../arm.ts";
import type { LocalSteps } from "../../variant/local_steps.ts";
import { type DifferingLoss, LossesOfProcesses } from "./losses_of_processes.ts";
import type {
  ProcessCommand,
  ProcessEvent,
  ProcessFacts,
  ProcessSettings,
  ReplyValues,
  RunSteps,
  ScenarioSource,
} from "./protocol.ts";
import { join } from "node:path";
import { ExitStatus, InputError, TachoError } from "../../../core/errors.ts";
import { writeFile } from "../../../core/files.ts";
import { EventProcess } from "../../../attach/programs/event_process.ts";

/** Place of a variant in fresh processes. */
export interface ProcessPlace {
  readonly source: ScenarioSource;
  /** Name of its variant, which differs from that of the control arm. */
  readonly variant: string;
  /** Called if a process trains differently from the first. */
  onWarning(message: string): void;
}

/**
 * Runs the measured steps of a variant in fresh processes, one after the other. Each trains from the start, with the same
 * losses. The variant is evaluated and profiled in this process after the rounds.
 */
export class ProcessSteps implements ArmProcess {
  /** Runs once the variant is prepared in this process, before its first step there. */
  whenHere: () => Promise<void> = () => Promise.resolve();
  readonly #local: LocalSteps;
  readonly #place: ProcessPlace;
  #process: EventProcess<ProcessEvent> | null = null;
  #facts: ProcessFacts | null = null;
  #firstStep: number | null = null;
  readonly #losses = new LossesOfProcesses();
  #warmUpSteps = 0;
  /** True between the warm-up of a process and its first block. */
  #isWarm = false;
  #differs = false;
  #isHere = false;

  /** @param local takes the measurements, and runs the steps in this process */
  constructor(local: LocalSteps, place: ProcessPlace) {
    this.#local = local;
    this.#place = place;
  }

  get steps(): number {
    return this.#losses.all.length;
  }

  get losses(): readonly (Loss | null)[] {
    return this.#losses.all;
  }

  get facts(): ProcessFacts | null {
    return this.#facts;
  }

  async prepare(_firstStep: number, onKernel?: OnProgress, _onFill?: OnProgress): Promise<void> {
    this.#losses.restart();
    this.#process = await this.#start();
    const facts = await this.#call({ do: "prepare" }, onKernel);
    this.#facts ??= facts;
  }

  async compile(onShader: OnProgress): Promise<void> {
    await this.#call({ do: "compile" }, onShader);
  }

  async compileOnly(): Promise<void> {
    const { firstStep } = await this.#call({ do: "compile only" });
    this.#firstStep ??= firstStep;
  }

  async warmUp(steps: number, onStep: (done: number) => void = () => {}): Promise<{ wall: number }> {
    const ran = await this.#call({ do: "warm up", steps }, onStep);
    this.#firstStep ??= ran.firstStep;
    this.#ran(ran);
    return { wall: ran.wall };
  }

  endWarmUp(): void {
    this.#warmUpSteps = this.#losses.done;
    this.#isWarm = true;
  }

  async block(
    ...[place, steps, { drain, onStep }]: Parameters<LocalSteps["block"]>
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    const isFirst = this.#isWarm;
    this.#isWarm = false;
    const command = { do: "measure", place, steps, drain, isFirst } as const;
    const { kept, loaded, ...ran } = await this.#call(command, onStep);
    this.#ran(ran);
    if (kept === null) return null;
    const { record } = this.#local;
    record.restoreBlock(kept);
    if (loaded !== null) record.loaderProfile = loaded;
    return kept;
  }

  async renew(warmUpSteps: number): Promise<void> {
    await this.release();
    await this.prepare(0);
    await this.compile(() => {});
    if (warmUpSteps === 0) await this.compileOnly();
    while (this.#losses.done < warmUpSteps) await this.warmUp(this.#local.unit);
    this.endWarmUp();
  }

  async release(): Promise<void> {
    const process = this.#process;
    this.#process = null;
    await process?.close();
  }

  /** Sets the losses and the times of the start to those of the processes. */
  restoreStart(): void {
    const times = { setup: this.#facts?.setup ?? null, firstStep: this.#firstStep };
    this.#local.record.restoreStart(this.#losses.all, times);
  }

  /** Trains in this process as far as evaluation and profile need it. */
  async trainHere(): Promise<void> {
    if (this.#isHere) return;
    this.#isHere = true;
    await this.release();
    const local = this.#local;
    await local.prepare(0);
    await this.whenHere();
    await local.compile(() => {});
    // An evaluation is of the state after the last step
    const steps = local.variant.config.evaluate === null ? this.#warmUpSteps : this.steps;
    if (steps === 0) await local.compileOnly();
    while (local.steps < steps && !local.place.interrupted()) await local.warmUp(local.unit);
    local.endWarmUp();
    this.#losses.restart();
    this.#warnOf(this.#losses.add(local.losses));
  }

  /** Starts a process, which opens its device. */
  #start(): Promise<EventProcess<ProcessEvent>> {
    const { source: { flags, args, ...source }, variant } = this.#place;
    const { compiled, tuning, variant: { name: arm }, place: { cache = true, interrupted } } = this.#local;
    return EventProcess.start<ProcessEvent>({
      ...{ env: {}, cwd: null, timeout: null, interrupted },
      command(folder, events) {
        const settings: ProcessSettings = {
          ...{ source, variant, arm, cache, events, parent: Deno.pid },
          fingerprint: compiled?.plan.fingerprint ?? null,
          tuning: tuning.choice,
        };
        const file = join(folder, "settings.json");
        writeFile(file, JSON.stringify(settings));
        const entry = new URL(import.meta.resolve("./entry.ts"));
        entry.search = new URLSearchParams({ settings: file }).toString();
        // The script is the main module, so that Deno finds its configuration, but the entry never lets it run
        const words = ["run", "-A", ...flags, "--preload", entry.href, source.script, ...args];
        return Promise.resolve({ program: Deno.execPath(), args: words });
      },
      ended({ code, signal }, lines) {
        const how = signal === null ? `with status ${code}` : `by ${signal}`;
        return new TachoError(
          `measure.processes: the process of ${arm} ended ${how} before the comparison was complete${lines}`,
          ExitStatus.unexpected,
        );
      },
    });
  }

  /**
   * Runs a command in the current process.
   *
   * @throws {TachoError} if the variant fails or its process ends
   * @throws {InterruptedError} if the run is interrupted
   */
  async #call<C extends ProcessCommand>(command: C, onProgress: OnProgress = () => {}): Promise<ReplyValues[C["do"]]> {
    const process = this.#process!;
    await process.send(JSON.stringify(command));
    for (;;) {
      const event = await process.next();
      if (event === null) {
        throw new InputError(`measure.processes: the process of ${this.#local.variant.name} has ended`);
      }
      if (event.kind === "failed") throw new TachoError(event.message, event.exitStatus);
      if (event.kind === "done") return event.value as ReplyValues[C["do"]];
      onProgress(event.done, event.all);
    }
  }

  /** Adds steps of the current process. */
  #ran({ losses, scale }: RunSteps): void {
    this.#warnOf(this.#losses.add(losses));
    this.#local.record.restoreLossScale(scale);
  }

  /** Warns of the first loss that differs between two processes. */
  #warnOf(differing: DifferingLoss | null): void {
    if (differing === null || this.#differs) return;
    this.#differs = true;
    const { step, earlier, later } = differing;
    this.#place.onWarning(
      `${this.#local.variant.name}: the loss of step ${step} is ${earlier} in one process and ${later} in another; the ` +
        "variant does not repeat its training, so its processes may do different work",
    );
  }
}
