/** Joins lines for all i < n, for code that WGSL cannot express as a loop, such as one variable per register. */
export function unroll(n: number, line: (i: number) => string): string {
  // Faster than joining an array; large models generate thousands of kernels from unrolled lines
  let lines = n > 0 ? line(0) : "";
  for (let i = 1; i < n; i++) lines += `\n${line(i)}`;
  return lines;
}

/** Joins lines for all pairs of i < n and j < m. */
export function unroll2(n: number, m: number, line: (i: number, j: number) => string): string {
  return unroll(n, (i) => unroll(m, (j) => line(i, j)));
}
