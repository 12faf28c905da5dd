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

/** Terms whose reads an invocation overlaps on GPUs. */
const AT_ONCE = 4;

/**
 * Returns a loop of a GPU over `variable` = `first`, `first + stride`, ... below `end`, which takes several at once, in their
 * order: the compiler moves their reads to the front.
 */
export function overlapped(variable: string, first: string, end: string, stride: number, body: string): string {
  const later = (n: number) => n === 0 ? "" : `let ${variable} = ${variable} + ${n * stride}u;`;
  return `var ${variable} = ${first};
  for (; ${variable} + ${(AT_ONCE - 1) * stride}u < ${end}; ${variable} += ${AT_ONCE * stride}u) {
    ${unroll(AT_ONCE, (n) => `{ ${later(n)}\n    ${body} }`)}
  }
  for (; ${variable} < ${end}; ${variable} += ${stride}u) {
    ${body}
  }`;
}
