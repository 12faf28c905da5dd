/** Rounds `n` up to a multiple of `unit`. */
export function roundUp(n: number, unit: number): number {
  return Math.ceil(n / unit) * unit;
}
