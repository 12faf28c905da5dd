/** Source that fails at every fifth sample from the third on. */
export const length = 40;

export function get(index: number) {
  if (index % 5 === 3) throw new TypeError(`no sample ${index} here`);
  return { input: Float32Array.of(index, index / 2), target: index };
}
