import { median } from "../core/statistics.ts";

/** Extra time of a step with its uncertainty, in ms or relative to a batch. */
export interface ExtraTime {
  readonly value: number;
  readonly uncertainty: number;
}

/**
 * Returns the time in ms by which the second of each pair is longer than the first: the median of the ratios minus 1, so
 * that load that slows both cancels, times the median first. The uncertainty is half the distance between the order
 * statistics that enclose the median ratio in 95 of 100 cases, or half the range if there are too few pairs for that.
 */
export function extraTime(pairs: readonly (readonly [number, number])[]): ExtraTime {
  const ratios = pairs.map(([without, with_]) => with_ / without - 1).sort((a, b) => a - b);
  const n = ratios.length;
  const step = median(pairs.map(([without]) => without));
  const rank = Math.max(0, Math.floor(n / 2 - 0.98 * Math.sqrt(n)));
  return { value: step * median(ratios), uncertainty: step * (ratios[n - 1 - rank]! - ratios[rank]!) / 2 };
}

/**
 * Returns extra time relative to the batch cost of the measured steps, which includes data loading and other host work.
 * The device steps of {@linkcode extraTime} are shorter where these dominate.
 */
export function relativeToBatch({ value, uncertainty }: ExtraTime, batchCost: number): ExtraTime {
  return { value: value / batchCost, uncertainty: uncertainty / batchCost };
}
