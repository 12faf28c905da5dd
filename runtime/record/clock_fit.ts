/**
 * From the device's clock to the host's, fitted over moments that were seen on both.
 *
 * @module
 */

/** One moment on both clocks. */
export interface ClockSample {
  /** On the main thread's `performance.now()` axis. */
  readonly hostMs: number;
  /** The device's timestamp: nanoseconds by the standard, ticks of unknown length on some back ends. */
  readonly deviceNs: bigint;
  /** The moment lies within `hostMs` ± this, for certain. */
  readonly uncertaintyMs: number;
}

/** How the device's clock runs on the host's axis. */
export interface ClockFit {
  /** Measured: nanoseconds of the host per unit of the device. */
  readonly nsPerTick: number;
  /** `nsPerTick` is right to within this; `Infinity` where there is one sample, or no time between them. */
  readonly nsPerTickUncertainty: number;
  /** Applied: 1 unless `nsPerTick` is not 1 within its uncertainty. */
  readonly scale: number;
  /** A device time on the host's axis may be off by this. */
  readonly offsetUncertaintyMs: number;
  /** A device timestamp on the host's axis: ms. */
  toHost(deviceNs: bigint): number;
  /** A stretch between two device timestamps: ms. */
  toMs(ticks: bigint): number;
}

/**
 * Fits over samples from the start and the end of a run; `null` without a sample. The bounds of the samples are hard, so
 * the rate is bounded by the best sample of each half of the time, and the offset by what all samples allow together.
 */
export function fitClock(samples: readonly ClockSample[]): ClockFit | null {
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

/** The offset that all samples allow; where they contradict each other (a clock jumped), one that spans them all. */
function commonOffset(offsets: readonly { value: number; uncertaintyMs: number }[]) {
  const low = Math.max(...offsets.map(({ value, uncertaintyMs }) => value - uncertaintyMs));
  const high = Math.min(...offsets.map(({ value, uncertaintyMs }) => value + uncertaintyMs));
  if (low <= high) return { value: (low + high) / 2, uncertaintyMs: (high - low) / 2 };
  const least = Math.min(...offsets.map(({ value, uncertaintyMs }) => value - uncertaintyMs));
  const most = Math.max(...offsets.map(({ value, uncertaintyMs }) => value + uncertaintyMs));
  return { value: (least + most) / 2, uncertaintyMs: (most - least) / 2 };
}
