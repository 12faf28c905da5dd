/** Minimum number of distinct distances to infer a step from. */
const MIN = 4;
/** Minimum number of distances for a fractional step, and the shortest fractional step to look for, in ns. */
const MIN_FRACTIONAL = 16;
const SHORTEST_FRACTIONAL = 8;
/** Upper bound on the error of the distance between two rounded timestamps, in ns. */
const ROUNDING = 1;

/**
 * Infers the step of a clock from the distances between its readings: their greatest common divisor, or a fraction such
 * as 83.3 if the driver rounded ticks to nanoseconds. Returns 1 if the clock is finer than the readings show, and `null`
 * if there are too few readings.
 */
export function clockStep(readings: readonly bigint[]): number | null {
  const sorted = [...new Set(readings)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const distances = [...new Set(sorted.slice(1).map((value, i) => Number(value - sorted[i]!)))].sort((a, b) => a - b);
  if (distances.length < MIN) return null;
  const whole = distances.reduce(greatestCommonDivisor);
  if (whole > 1 || distances.length < MIN_FRACTIONAL) return whole;
  return fractionalStep(distances) ?? whole;
}

/** Tries the shortest distance and its fractions as the step. Each distance that fits makes the step more exact. */
function fractionalStep(distances: readonly number[]): number | null {
  for (let parts = 1; distances[0]! / parts >= SHORTEST_FRACTIONAL; parts++) {
    const step = refine(distances[0]! / parts, ROUNDING / parts, distances);
    if (step !== null) return step;
  }
  return null;
}

function refine(first: number, firstError: number, distances: readonly number[]): number | null {
  let [step, error] = [first, firstError];
  let fitting = 0;
  for (const distance of distances) {
    const ticks = Math.round(distance / step);
    if (ticks * error > step / 4) break; // from here on any distance would fit
    if (Math.abs(distance - ticks * step) > ROUNDING + ticks * error) return null;
    fitting++;
    if (ROUNDING / ticks < error) [step, error] = [distance / ticks, ROUNDING / ticks];
  }
  return fitting >= MIN_FRACTIONAL ? step : null;
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
