import type { Rung } from "../../result/schema.ts";

/**
 * How far predictions were off: the median over measured rungs, dropped ones included, of
 * |predicted - measured| / measured; null with none.
 */
export function predictionError(rungs: readonly Rung[]): number | null {
  const errors = rungs.flatMap(({ predicted, measured }) =>
    measured === null ? [] : [Math.abs(predicted.gain - measured.speedup.value) / measured.speedup.value]
  ).sort((a, b) => a - b);
  if (errors.length === 0) return null;
  const middle = errors.length >> 1;
  return errors.length % 2 === 1 ? errors[middle]! : (errors[middle - 1]! + errors[middle]!) / 2;
}
