import { DeviceError, InterruptedError, TachoError } from "../core/errors.ts";
import type { Device } from "../device/device.ts";
import type { Emit } from "../result/run_event.ts";
import type { Arm } from "./arm.ts";

/** Does parts of the arms' runs: what fails ends its arm, and a lost device all of them. */
export class Attempts {
  readonly #arms: readonly Arm[];
  readonly #device: Device | null;
  readonly #stopped: () => boolean;
  readonly #emit: Emit;
  #saidInterrupted = false;

  constructor(arms: readonly Arm[], device: Device | null, interrupted: () => boolean, emit: Emit = () => {}) {
    this.#arms = arms;
    this.#device = device;
    this.#stopped = interrupted;
    this.#emit = emit;
  }

  /** Does what serves all arms; null where the device refused it. */
  async forAll<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.#device?.lost || this.#interrupted()) return null;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      if (this.#device?.lost) { for (const arm of this.#arms) this.fail(arm, error); }
      return null;
    }
  }

  /** Does a part of an arm's run, unless that has ended. */
  readonly attempt = async (arm: Arm, work: () => Promise<unknown>): Promise<void> => {
    if (!arm.running) return;
    if (this.#interrupted()) return this.#interrupt(arm);
    try {
      await work();
      if (arm.interrupted) this.#sayInterrupted(); // the work stopped early
    } catch (error) {
      if (error instanceof InterruptedError) return this.#interrupt(arm);
      if (!(error instanceof TachoError)) throw error;
      if (error instanceof DeviceError && this.#device?.lost) {
        for (const other of this.#arms) this.fail(other, error);
      } else this.fail(arm, error);
    }
  };

  /** Ends an arm with an error. */
  fail(arm: Arm, error: TachoError): void {
    arm.fail(error);
    this.#emit({ type: "failure", arm: arm.name, message: error.message, exitStatus: error.exitStatus });
  }

  /** Ends all arms before their time. */
  interruptAll(): void {
    for (const arm of this.#arms) this.#interrupt(arm);
  }

  /** Returns whether the run was asked to stop; the first time that it was, says so. */
  #interrupted(): boolean {
    const stopped = this.#stopped();
    if (stopped) this.#sayInterrupted();
    return stopped;
  }

  #interrupt(arm: Arm): void {
    arm.interrupt();
    this.#sayInterrupted();
  }

  #sayInterrupted(): void {
    if (!this.#saidInterrupted) this.#emit({ type: "interrupted" });
    this.#saidInterrupted = true;
  }
}
