/** The sums of all subsets of `values`, ascending: each value in turn is merged in. */
export function sortedSubsetSums(values: readonly number[]): Float64Array {
  // Two lists that take turns; an infinite last entry ends a merge
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
      // A branch would be taken at random
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
 * How many pairs of one number of `a` and one of `b`, both ascending, add up to `limit` at most (Horowitz and Sahni,
 * "Computing partitions with applications to the knapsack problem", JACM 21, 1974): with the subset sums of two halves,
 * the subsets of the whole.
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
