/**
 * Finds faults that a test finds among many that are made at once, so that those that few tests find share a run of all.
 *
 * @module
 */

/**
 * Returns the faults that make a test fail: while it fails with all of them, halves them until one is left.
 *
 * A test that fails with several faults but with none alone ends the search.
 *
 * @param fails runs the test on a copy with these faults
 */
export async function culprits<T>(
  faults: readonly T[],
  fails: (faults: readonly T[]) => Promise<boolean>,
): Promise<T[]> {
  const found: T[] = [];
  let rest = [...faults];
  while (rest.length > 0 && await fails(rest)) {
    let suspects = rest;
    while (suspects.length > 1) {
      const half = suspects.slice(0, suspects.length >> 1);
      suspects = await fails(half) ? half : suspects.slice(half.length);
    }
    const one = suspects[0]!;
    if (rest.length > 1 && !await fails(suspects)) break;
    found.push(one);
    rest = rest.filter((fault) => fault !== one);
  }
  return found;
}
