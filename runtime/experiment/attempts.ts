import { ClusterError, DeviceError, InterruptedError, TachoError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import type { Device } from "../device/device.ts";
import type { Emit } from "../result/run_event.ts";
import type { Arm } from "./arm.ts";

/** Runs work of arms. An error ends its arm; the loss of the device ends all arms. */
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

  /** Runs work that serves all arms. Returns null if the run was interrupted or the device failed. */
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

  /** Runs work of an arm unless the arm has ended. */
  readonly attempt = async (arm: Arm, work: () => Promise<unknown>): Promise<void> => {
    if (!arm.running) return;
    if (this.#interrupted()) return this.#interrupt(arm);
    try {
      await work();
      if (arm.interrupted) this.#sayInterrupted(); // the work stopped early
    } catch (error) {
      if (error instanceof InterruptedError) return this.#interrupt(arm);
      // Without the other ranks, nothing can go on: this process ends, and its launcher ends the others
      if (!isInstance(error, TachoError) || error instanceof ClusterError) throw error;
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

  /** Ends all arms early. */
  interruptAll(): void {
    for (const arm of this.#arms) this.#interrupt(arm);
  }

  /** Returns true if the run was interrupted. Emits the event the first time. */
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
