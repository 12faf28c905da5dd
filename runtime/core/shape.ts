import { shown } from "./shown.ts";

/** Sizes of a tensor's dimensions, outermost first. `[]` is a scalar. */
export type Shape = readonly number[];

/** Returns the number of elements. */
export function sizeOf(shape: Shape): number {
  return shape.reduce((product, n) => product * n, 1);
}

/** Formats a shape as the user writes it: `[32, 3, 32, 32]`. A script may have put anything in it. */
export function formatShape(shape: Shape): string {
  return `[${shape.map((n: unknown) => typeof n === "number" ? n : shown(n)).join(", ")}]`;
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((n, i) => n === b[i]);
}
