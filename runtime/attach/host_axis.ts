import type { ClockSample } from "../record/clock_fit.ts";
import { ClockTrack, type HostBracket } from "../record/clock_track.ts";
import type { PassTimes, RawPass } from "../record/device_samples.ts";

/** Conversion of a device's timestamps to the host's axis, by the latest sample of both clocks. */
export class HostAxis {
  readonly #track = new ClockTrack();
  #latest: ClockSample | null = null;

  /** Host nanoseconds per tick of the device. */
  get nsPerTick(): number {
    return this.#track.nsPerTick;
  }

  /** Number of times that the device's clock wrapped around or was reset. */
  get resets(): number {
    return this.#track.resets;
  }

  /** Timestamp at which the device's clock stood still when it was last sampled; null if it ran. */
  get still(): bigint | null {
    return this.#track.still;
  }

  /** Largest error of a device time on the host's axis, in ms; null without a sample. */
  get error(): number | null {
    return this.#latest?.uncertaintyMs ?? null;
  }

  /** Takes samples of one moment on both clocks. */
  observe(samples: readonly ClockSample[]): void {
    this.#latest = this.#track.observe(samples) ?? this.#latest;
  }

  /** Moves a pass to the continuous axis of the clock, and bounds it by the host's times of its submit. */
  place(pass: PassTimes, bracket: HostBracket): RawPass {
    return this.#track.place(pass, bracket);
  }

  /** Converts a time on the continuous axis to the host's, in ms; null without a sample. */
  toHost(time: bigint): number | null {
    if (this.#latest === null) return null;
    return this.#latest.hostMs + (Number(time - this.#latest.deviceNs) * this.nsPerTick) / 1e6;
  }
}
