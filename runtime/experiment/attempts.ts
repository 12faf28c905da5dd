import { DeviceError, InterruptedError, TachoError } from "../core/errors.ts";
import type { Device } from "../device/device.ts";
import type { Arm } from "./arm.ts";

/** Does parts of the arms' runs: what fails ends its arm, and a lost device all of them. */
export class Attempts {
  readonly #arms: readonly Arm[];
  readonly #device: Device | null;
  readonly #interrupted: () => boolean;

  constructor(arms: readonly Arm[], device: Device | null, interrupted: () => boolean) {
    this.#arms = arms;
    this.#device = device;
    this.#interrupted = interrupted;
  }

  /** Does what serves all arms; null where the device refused it. */
  async forAll<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.#device?.lost || this.#interrupted()) return null;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      if (this.#device?.lost) { for (const arm of this.#arms) arm.fail(error); }
      return null;
    }
  }

  /** Does a part of an arm's run, unless that has ended. */
  readonly attempt = async (arm: Arm, work: () => Promise<unknown>): Promise<void> => {
    if (!arm.running) return;
    if (this.#interrupted()) return arm.interrupt();
    try {
      await work();
    } catch (error) {
      if (error instanceof InterruptedError) return arm.interrupt();
      if (!(error instanceof TachoError)) throw error;
      if (error instanceof DeviceError && this.#device?.lost) { for (const other of this.#arms) other.fail(error); }
      else arm.fail(error);
    }
  };
}
