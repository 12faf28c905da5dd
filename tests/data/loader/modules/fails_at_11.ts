/** Source that throws at sample 11. */
export const length = 40;

export function get(index: number) {
  if (index === 11) throw new Error("no sample 11");
  return { input: Float32Array.of(index, index / 2), target: index };
}
