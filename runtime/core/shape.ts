/** Sizes of a tensor's dimensions, outermost first. `[]` is a scalar. */
export type Shape = readonly number[];

/** The number of elements. */
export function sizeOf(shape: Shape): number {
  return shape.reduce((product, n) => product * n, 1);
}

/** `[32, 3, 32, 32]` as a user would write it. */
export function formatShape(shape: Shape): string {
  return `[${shape.join(", ")}]`;
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((n, i) => n === b[i]);
}
