/** Joins lines for all i < n, for code that WGSL cannot express as a loop, such as one variable per register. */
export function unroll(n: number, line: (i: number) => string): string {
  return Array.from({ length: n }, (_, i) => line(i)).join("\n");
}

/** Joins lines for all pairs of i < n and j < m. */
export function unroll2(n: number, m: number, line: (i: number, j: number) => string): string {
  return unroll(n, (i) => unroll(m, (j) => line(i, j)));
}
