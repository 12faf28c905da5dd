/**
 * Returns the fraction by which the second time of each pair is longer than the first: the median of the ratios, minus 1.
 * The uncertainty is half the distance between the order statistics that enclose the median in 95 of 100 cases, or half
 * the range if there are too few pairs for that.
 */
export function extraTime(
  pairs: readonly (readonly [number, number])[],
): { readonly value: number; readonly uncertainty: number } {
  const ratios = pairs.map(([without, with_]) => with_ / without - 1).sort((a, b) => a - b);
  const n = ratios.length;
  const middle = n >> 1;
  const value = n % 2 === 1 ? ratios[middle]! : (ratios[middle - 1]! + ratios[middle]!) / 2;
  const rank = Math.max(0, Math.floor(n / 2 - 0.98 * Math.sqrt(n)));
  return { value, uncertainty: (ratios[n - 1 - rank]! - ratios[rank]!) / 2 };
}
