/** A ratio that was found from several comparisons, and how far it may be off. */
export interface Extra {
  readonly value: number;
  readonly uncertainty: number;
}

/**
 * The part by which the second time of the pairs is longer than the first: the median of their ratios, minus 1. It may
 * be off by what the pairs contradict each other: half the distance of the order statistics that hold the median in 95
 * of 100 cases, or of all where there are too few pairs for that.
 */
export function extraTime(pairs: readonly (readonly [number, number])[]): Extra {
  const ratios = pairs.map(([without, with_]) => with_ / without - 1).sort((a, b) => a - b);
  const n = ratios.length;
  const middle = n >> 1;
  const value = n % 2 === 1 ? ratios[middle]! : (ratios[middle - 1]! + ratios[middle]!) / 2;
  const rank = Math.max(0, Math.floor(n / 2 - 0.98 * Math.sqrt(n)));
  return { value, uncertainty: (ratios[n - 1 - rank]! - ratios[rank]!) / 2 };
}
