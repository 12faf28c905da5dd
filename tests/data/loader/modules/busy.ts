/** A source that computes for 2 s at sample 11, and would then spoil the batch. */
export const length = 40;

export function get(index: number) {
  if (index !== 11) return { input: Float32Array.of(index, index / 2), target: index };
  const end = performance.now() + 2000;
  while (performance.now() < end);
  return { input: Float32Array.of(-1, -1), target: 0 };
}
