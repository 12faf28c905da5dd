import type { ClockSample } from "./clock_fit.ts";
import type { PassTimes, RawPass } from "./device_samples.ts";

/** Host times around the run of a submit, on the `performance.now()` axis in ms. */
export interface HostBracket {
  /** Before the submit. */
  readonly submitted: number;
  /** After the host saw the device done. */
  readonly done: number;
}

/** Stretch of the device's clock without a wrap or a reset. */
interface Epoch {
  /** Ticks from the device's clock to the continuous axis. */
  readonly shift: bigint;
  /** First and latest sample on the device's own axis. */
  readonly first: ClockSample;
  last: ClockSample;
}

/** Host nanoseconds per tick of the device. */
interface Rate {
  readonly value: number;
  readonly uncertainty: number;
}

/** Tolerance of host bounds in ms, for coarse clocks and for begins that a device notes too early. */
const SLACK_MS = 0.5;
/** Smallest and largest tolerated relative error of the rate. A rate that is known less precisely is not used. */
const DRIFT = { min: 1e-4, max: 0.02 } as const;
/** Number of epochs that the passes of one reading may come from. */
const RECENT = 3;

/**
 * Continuous time of a device whose clock may wrap around, be reset or stand still. Samples of both clocks show where the
 * device's clock stops agreeing with the host's; from there on it is fitted again, and later timestamps are shifted so that
 * time goes on. All times of one device must pass through one track.
 */
export class ClockTrack {
  readonly #epochs: Epoch[] = [];
  #rate: Rate | null = null;
  #still: bigint | null = null;

  /** Timestamp at which the device's clock stood still when it was last observed; null if it ran. */
  get still(): bigint | null {
    return this.#still;
  }

  /** Number of wraps and resets so far. */
  get resets(): number {
    return Math.max(0, this.#epochs.length - 1);
  }

  /** True if the rate is known, so that passes can be bounded. */
  get calibrated(): boolean {
    return this.#rate !== null;
  }

  /** Host nanoseconds per tick: 1 as in the standard, if the measured rate allows it. */
  get nsPerTick(): number {
    const { value, uncertainty } = this.#rate ?? { value: 1, uncertainty: 0 };
    return Math.abs(value - 1) <= uncertainty ? 1 : value;
  }

  /**
   * Adds samples of one moment, as the device wrote them, and returns the most precise one on the continuous axis. Returns
   * `null` if no majority of them agrees, or if the device's clock stands still.
   */
  observe(samples: readonly ClockSample[]): ClockSample | null {
    const sample = this.#agreed(samples);
    if (sample === null) return null;
    const epoch = this.#epochs.at(-1);
    if (epoch === undefined) return this.#begin(sample, 0n);
    const elapsed = sample.hostMs - epoch.last.hostMs;
    const ticks = Number(sample.deviceNs - epoch.last.deviceNs);
    const uncertainty = sample.uncertaintyMs + epoch.last.uncertaintyMs + SLACK_MS;
    this.#still = ticks === 0 && elapsed > uncertainty ? sample.deviceNs : null;
    if (this.#still !== null) return null;
    const continues = this.#rate === null
      ? ticks > 0
      : Math.abs(this.#toMs(ticks) - elapsed) <= uncertainty + elapsed * this.#drift;
    if (!continues) {
      // Stopped since the last sample: it is late, and none of these samples shows it go on
      if (ticks > 0 && this.#toMs(ticks) < elapsed && isStill(samples)) {
        this.#still = sample.deviceNs;
        return null;
      }
      const now = epoch.last.deviceNs + epoch.shift + this.#toTicks(elapsed);
      return this.#begin(sample, now - sample.deviceNs);
    }
    epoch.last = sample;
    this.#refine(epoch);
    return { ...sample, deviceNs: sample.deviceNs + epoch.shift };
  }

  /** Moves a pass to the continuous axis, and bounds it by the host's times of its submit. */
  place(pass: PassTimes, bracket: HostBracket): RawPass {
    const { begin, end } = pass;
    if (this.#rate === null || begin === 0n || end === 0n) return pass;
    const recent = this.#epochs.slice(-RECENT).map((epoch) => ({ ...epoch, bounds: this.#bounds(epoch, bracket) }));
    const holds = (epoch: number, time: bigint) =>
      recent[epoch]!.bounds.begin <= time && time <= recent[epoch]!.bounds.end;
    const indices = [...recent.keys()];
    const begun = indices.findLast((epoch) => holds(epoch, begin));
    const ended = indices.findLast((epoch) => holds(epoch, end));
    const whole = indices.findLast((epoch) => holds(epoch, begin) && holds(epoch, end));
    const across = whole === undefined && begun !== undefined && ended !== undefined && begun < ended;
    const first = recent[whole ?? begun ?? ended ?? recent.length - 1]!;
    const last = across ? recent[ended]! : first;
    return {
      begin: begin + first.shift,
      end: end + last.shift,
      within: { begin: first.bounds.begin + first.shift, end: last.bounds.end + last.shift },
      ...across ? { reset: true } : {},
    };
  }

  #begin(sample: ClockSample, shift: bigint): ClockSample {
    this.#epochs.push({ shift, first: sample, last: sample });
    return { ...sample, deviceNs: sample.deviceNs + shift };
  }

  /** Returns the most precise of the samples that agree with at least half of them. */
  #agreed(samples: readonly ClockSample[]): ClockSample | null {
    const agree = (a: ClockSample, b: ClockSample) =>
      Math.abs(this.#toMs(Number(a.deviceNs - b.deviceNs)) - (a.hostMs - b.hostMs)) <=
        a.uncertaintyMs + b.uncertaintyMs + SLACK_MS;
    return samples
      .filter((sample) => 2 * samples.filter((other) => agree(sample, other)).length >= samples.length)
      .toSorted((a, b) => a.uncertaintyMs - b.uncertaintyMs)[0] ?? null;
  }

  /** Takes the rate over an epoch if it is more precise than the known one. */
  #refine({ first, last }: Epoch): void {
    const ticks = Number(last.deviceNs - first.deviceNs);
    if (ticks <= 0) return;
    const value = ((last.hostMs - first.hostMs) * 1e6) / ticks;
    const uncertainty = ((first.uncertaintyMs + last.uncertaintyMs) * 1e6) / ticks;
    const limit = this.#rate?.uncertainty ?? value * DRIFT.max;
    if (value > 0 && uncertainty <= limit) this.#rate = { value, uncertainty };
  }

  /** Returns the earliest and the latest time that a bracket allows, on the epoch's own axis. */
  #bounds({ first, last }: Epoch, { submitted, done }: HostBracket): PassTimes {
    const near = (time: number) => Math.abs(first.hostMs - time) < Math.abs(last.hostMs - time) ? first : last;
    const bound = (time: number, side: -1 | 1) => {
      const { hostMs, deviceNs, uncertaintyMs } = near(time);
      const tolerance = SLACK_MS + uncertaintyMs + Math.abs(time - hostMs) * this.#drift;
      return deviceNs + this.#toTicks(time - hostMs + side * tolerance);
    };
    return { begin: bound(submitted, -1), end: bound(done, 1) };
  }

  /** Relative error of the rate. */
  get #drift(): number {
    const { value, uncertainty } = this.#rate ?? { value: 1, uncertainty: Infinity };
    return Math.min(DRIFT.max, Math.max(DRIFT.min, uncertainty / value));
  }

  #toMs(ticks: number): number {
    return (ticks * this.nsPerTick) / 1e6;
  }

  #toTicks(ms: number): bigint {
    return BigInt(Math.round((ms * 1e6) / this.nsPerTick));
  }
}

/** Returns true if a clock shows the same time at all of several moments. */
function isStill(samples: readonly ClockSample[]): boolean {
  return samples.length > 1 && samples.every(({ deviceNs }) => deviceNs === samples[0]!.deviceNs);
}
