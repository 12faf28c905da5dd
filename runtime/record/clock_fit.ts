/**
 * Conversion from the device's clock to the host's, fitted over moments observed on both.
 *
 * @module
 */

/** A moment observed on both clocks. The device's times are continuous; see `ClockTrack`. */
export interface ClockSample {
  /** On the main thread's `performance.now()` axis. */
  readonly hostMs: number;
  /** The device's timestamp: nanoseconds by the standard, but ticks of unknown length on some back ends. */
  readonly deviceNs: bigint;
  /** Hard bound: the moment lies within `hostMs` ± this. */
  readonly uncertaintyMs: number;
}

/** A linear map from the device's clock to the host's. */
export interface ClockFit {
  /** Measured host nanoseconds per device tick. */
  readonly nsPerTick: number;
  /** Maximum error of `nsPerTick`; `Infinity` with one sample, or with no time between the samples. */
  readonly nsPerTickUncertainty: number;
  /** Applied host nanoseconds per device tick: 1 if that is within the uncertainty of `nsPerTick`. */
  readonly scale: number;
  /** Maximum error of a device time on the host's axis, in ms. */
  readonly offsetUncertaintyMs: number;
  /** Number of times that the device's clock wrapped around or was reset. */
  readonly resets: number;
  /** Converts a device timestamp to host time, in ms. */
  toHost(deviceNs: bigint): number;
  /** Converts a difference of device timestamps to ms. */
  toMs(ticks: bigint): number;
}

/**
 * Fits the clocks over samples from the start and the end of a run. Returns `null` without samples. The bounds of the
 * samples are hard, so the best sample of each half bounds the rate, and all samples together bound the offset.
 *
 * @param resets number of times that the device's clock wrapped around or was reset
 */
export function fitClock(samples: readonly ClockSample[], resets = 0): ClockFit | null {
  const sorted = samples.toSorted((a, b) => a.hostMs - b.hostMs);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return null;
  const middle = (first.hostMs + last.hostMs) / 2;
  const start = best(sorted.filter(({ hostMs }) => hostMs <= middle));
  const end = best(sorted.filter(({ hostMs }) => hostMs > middle));
  const { nsPerTick, nsPerTickUncertainty } = rate(start, end);
  const scale = Math.abs(nsPerTick - 1) > nsPerTickUncertainty ? nsPerTick : 1;
  const origin = start!.deviceNs;
  const toMs = (ticks: bigint) => (Number(ticks) * scale) / 1e6;
  const offset = commonOffset(
    sorted.map(({ hostMs, deviceNs, uncertaintyMs }) => ({ value: hostMs - toMs(deviceNs - origin), uncertaintyMs })),
  );
  return {
    nsPerTick,
    nsPerTickUncertainty,
    scale,
    offsetUncertaintyMs: offset.uncertaintyMs,
    resets,
    toMs,
    toHost: (deviceNs) => offset.value + toMs(deviceNs - origin),
  };
}

function best(samples: readonly ClockSample[]): ClockSample | undefined {
  return samples.toSorted((a, b) => a.uncertaintyMs - b.uncertaintyMs)[0];
}

function rate(start: ClockSample | undefined, end: ClockSample | undefined) {
  const unknown = { nsPerTick: 1, nsPerTickUncertainty: Infinity };
  if (start === undefined || end === undefined) return unknown;
  const ticks = Number(end.deviceNs - start.deviceNs);
  if (ticks <= 0) return unknown;
  return {
    nsPerTick: ((end.hostMs - start.hostMs) * 1e6) / ticks,
    nsPerTickUncertainty: ((start.uncertaintyMs + end.uncertaintyMs) * 1e6) / ticks,
  };
}

/** Returns the offset that all samples allow. If they contradict each other (a clock jumped), it spans them all. */
function commonOffset(offsets: readonly { value: number; uncertaintyMs: number }[]) {
  const low = Math.max(...offsets.map(({ value, uncertaintyMs }) => value - uncertaintyMs));
  const high = Math.min(...offsets.map(({ value, uncertaintyMs }) => value + uncertaintyMs));
  if (low <= high) return { value: (low + high) / 2, uncertaintyMs: (high - low) / 2 };
  const least = Math.min(...offsets.map(({ value, uncertaintyMs }) => value - uncertaintyMs));
  const most = Math.max(...offsets.map(({ value, uncertaintyMs }) => value + uncertaintyMs));
  return { value: (least + most) / 2, uncertaintyMs: (most - least) / 2 };
}
