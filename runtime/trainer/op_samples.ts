import type { Device } from "../device/device.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import { cleanPasses } from "../record/device_samples.ts";
import { runDispatches, runPhases } from "./profiled_submits.ts";
import type { Session } from "./session.ts";

/**
 * Times of each dispatch in steps on the last batch, added one at a time, so that several sessions can take turns. Two sessions
 * whose steps alternate see the same changes of the machine, which steps that are profiled in a row do not.
 */
export class OpSamples {
  /** Ticks by round and dispatch; NaN where a time is unusable. */
  readonly #rounds: (readonly number[])[] = [];
  readonly #session: Session;
  readonly #device: Device;
  #last = 0n;

  constructor(session: Session, device: Device) {
    this.#session = session;
    this.#device = device;
  }

  /** Runs a step to warm up, then one with a timed pass for each dispatch, and restores the training state. */
  async add(): Promise<void> {
    const { executor, state } = this.#session;
    const timestamps = new TimestampRecorder(this.#device);
    const snapshot = state.snapshot();
    try {
      runPhases(this.#session, this.#device, null, null);
      runDispatches(executor, this.#device, timestamps, null);
      const { passes, last } = cleanPasses(await timestamps.read(), this.#last);
      this.#last = last;
      this.#rounds.push(passes.map((pass) => pass === null ? NaN : Number(pass.end - pass.begin)));
    } finally {
      state.restore(snapshot);
      timestamps.free();
    }
    await this.#device.settle();
  }

  /** Ticks of each dispatch by round. */
  get byDispatch(): readonly (readonly number[])[] {
    return this.#session.executor.dispatches.map((_, dispatch) => this.#rounds.map((round) => round[dispatch] ?? NaN));
  }
}
