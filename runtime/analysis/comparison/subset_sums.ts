/** Returns the sums of all subsets of `values` in ascending order, merging in one value at a time. */
export function sortedSubsetSums(values: readonly number[]): Float64Array {
  // Two alternating lists; an infinite last entry ends a merge
  let sums = new Float64Array(2 ** values.length + 1);
  let merged = new Float64Array(2 ** values.length + 1);
  let size = 1;
  sums[size] = Infinity;
  for (const value of values) {
    const low = Math.min(0, value);
    const high = Math.max(0, value);
    let [i, j] = [0, 0];
    for (let k = 0; k < size * 2; k++) {
      const a = sums[i]! + low;
      const b = sums[j]! + high;
      // Branch-free, since a branch would be unpredictable
      const first = Number(a <= b);
      merged[k] = Math.min(a, b);
      i += first;
      j += 1 - first;
    }
    size *= 2;
    merged[size] = Infinity;
    [sums, merged] = [merged, sums];
  }
  return sums.subarray(0, size);
}

/**
 * Counts the pairs of a number of `a` and one of `b`, both ascending, whose sum is at most `limit`: with the subset sums of
 * two halves, the subsets of the whole (E. Horowitz and S. Sahni, "Computing partitions with applications to the knapsack
 * problem", JACM 21, 1974).
 */
export function countAtMost(a: Float64Array, b: Float64Array, limit: number): number {
  let count = 0;
  let fitting = b.length;
  for (let i = 0; i < a.length; i++) {
    while (fitting > 0 && a[i]! + b[fitting - 1]! > limit) fitting--;
    count += fitting;
  }
  return count;
}
