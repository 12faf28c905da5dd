import { InputError } from "../../core/errors.ts";
import type { Device } from "../../device/device.ts";
import { TimestampRecorder } from "../../device/timestamps.ts";
import type { Executor } from "../../engine/executor.ts";
import type { Recorder } from "../../record/recorder.ts";
import { compile } from "../../trainer/profile_run.ts";
import {
  type ProfiledSubmit,
  readTimestamps,
  runDispatches,
  runPhases,
  type TimedWork,
  timedWork,
} from "../../trainer/profiled_submits.ts";
import type { Session } from "../../trainer/session.ts";
import type { ObservedStep, StepObserver } from "../../trainer/step_observer.ts";
import { observeSteps, partsOf, type Trainer } from "../../trainer/trainer.ts";
import type { TrainerUnit } from "./recording.ts";

/** A step of the trainer whose passes have not been read. */
type Unread = Omit<TrainerUnit, "raw"> & { readonly passes: number };

/** Runs the steps of a trainer with a timed pass for each dispatch. */
export class TrainerSteps implements StepObserver {
  readonly #trainer: Trainer;
  readonly #device: Device;
  readonly #timestamps: TimestampRecorder | null;
  readonly #executor: Executor;
  readonly #decay: Executor | null;
  readonly #work: TimedWork;
  #submits: readonly ProfiledSubmit[] = [];
  readonly #unread: Unread[] = [];

  readonly recorder: Recorder;

  private constructor(trainer: Trainer, recorder: Recorder, decay: Executor | null) {
    this.recorder = recorder;
    this.#trainer = trainer;
    this.#device = trainer.device;
    this.#timestamps = this.#device.timestamps ? new TimestampRecorder(this.#device) : null;
    this.#executor = partsOf(trainer).session.executor;
    this.#decay = decay;
    this.#work = timedWork(this.#executor, decay);
  }

  /**
   * Prepares a trainer and compiles what profiling adds to its steps.
   *
   * @throws {InputError} if the trainer has not finished tuning its kernels
   */
  static async open(trainer: Trainer, recorder: Recorder): Promise<TrainerSteps> {
    const { session, config } = partsOf(trainer);
    const { autotune } = config.compile;
    if (autotune !== null && trainer.tuning === null) {
      throw new InputError(
        `profile: the trainer tunes its kernels until step ${autotune.stop}; call start() after that step, or set ` +
          "compile.autotune to false",
      );
    }
    const decay = await session.decayExecutor();
    if (decay !== null) compile(decay, trainer.device);
    return new TrainerSteps(trainer, recorder, decay);
  }

  /** Ops and dispatches of a step, weight decay alone included. */
  get work(): TimedWork {
    return this.#work;
  }

  /** Number of dispatches of a step without profiling. */
  get dispatches(): number {
    return this.#executor.dispatches.length;
  }

  /** Number of steps whose passes have not been read. */
  get unread(): number {
    return this.#unread.length;
  }

  /** Observes the trainer's steps, or leaves them alone. */
  observe(on: boolean): void {
    observeSteps(this.#trainer, this, on);
  }

  submit(session: Session): void {
    this.#submits = this.#timestamps === null
      ? [runPhases(session, this.#device, null, this.recorder)]
      : runDispatches(this.#work, this.#device, this.#timestamps, this.recorder);
  }

  onStep({ loss, readerCost }: ObservedStep): void {
    const passes = this.#timestamps === null ? 0 : this.#work.dispatches.length;
    this.#unread.push({ submits: this.#submits, loss, readerCost, passes });
  }

  /** Reads the passes of all steps since the last call. */
  async read(): Promise<TrainerUnit[]> {
    const passes = await readTimestamps(this.#timestamps, this.recorder);
    let next = 0;
    return this.#unread.splice(0).map(({ passes: own, ...step }) => ({
      ...step,
      raw: passes.slice(next, next += own),
    }));
  }

  /** Ends the observation and frees what profiling added. */
  close(): void {
    this.observe(false);
    this.#timestamps?.free();
    this.#decay?.free();
  }
}
