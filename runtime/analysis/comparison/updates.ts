/** Largest part of the measured updates that loss scaling may skip. */
const MAX_SKIPPED = 0.05;

/** Updates of a training with loss scaling. */
export interface Updates {
  /** Measured steps. */
  readonly measured: number;
  /** Measured steps whose update loss scaling skipped. */
  readonly skipped: number;
}

/**
 * Returns why the skipped updates make a measurement invalid, or null where they do not. A step without its update is
 * faster, and trains nothing.
 *
 * @param updates null without loss scaling
 */
export function updatesReason(updates: Updates | null): string | null {
  if (updates === null || updates.skipped <= MAX_SKIPPED * updates.measured) return null;
  const { measured, skipped } = updates;
  return skipped === measured
    ? `loss scaling skipped all ${measured} measured updates: nothing was trained`
    : `loss scaling skipped ${skipped} of ${measured} measured updates, ${MAX_SKIPPED * 100} % allowed`;
}
