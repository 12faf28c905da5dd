import { DeviceError, InterruptedError, TachoError } from "../core/errors.ts";
import type { Device } from "../device/device.ts";
import type { VariantRun } from "./variant/run.ts";

/** Does parts of the arms' runs: what fails ends its arm, and a lost device all of them. */
export class Attempts {
  readonly #runs: readonly VariantRun[];
  readonly #device: Device | null;
  readonly #interrupted: () => boolean;

  constructor(runs: readonly VariantRun[], device: Device | null, interrupted: () => boolean) {
    this.#runs = runs;
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
      if (this.#device?.lost) { for (const run of this.#runs) run.fail(error); }
      return null;
    }
  }

  /** Does a part of an arm's run, unless that has ended. */
  readonly attempt = async (run: VariantRun, work: () => Promise<unknown>): Promise<void> => {
    if (!run.running) return;
    if (this.#interrupted()) return run.interrupt();
    try {
      await work();
    } catch (error) {
      if (error instanceof InterruptedError) return run.interrupt();
      if (!(error instanceof TachoError)) throw error;
      if (error instanceof DeviceError && this.#device?.lost) { for (const other of this.#runs) other.fail(error); }
      else run.fail(error);
    }
  };
}
