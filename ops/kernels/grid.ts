import { linearGrid } from "../../runtime/device/kernel.ts";

/** x and y of a grid for `n` invocations in workgroups of `size`, folded at the adapter's limit; z is left to the kernel. */
export function foldedGrid(n: number, size: number, maxPerDimension: number): [number, number] {
  const [x, y] = linearGrid(n, size, maxPerDimension);
  return [x, y];
}
