/** Text for each i < n, joined line by line: what WGSL has no loop for, such as one variable per register. */
export function unroll(n: number, line: (i: number) => string): string {
  return Array.from({ length: n }, (_, i) => line(i)).join("\n");
}

/** As {@linkcode unroll}, over all pairs of i < n and j < m. */
export function unroll2(n: number, m: number, line: (i: number, j: number) => string): string {
  return unroll(n, (i) => unroll(m, (j) => line(i, j)));
}
