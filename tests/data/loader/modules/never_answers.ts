/** Source whose promise for sample 11 is never settled, or only after the timeout. */
export const length = 40;

export function get(index: number) {
  const sample = { input: Float32Array.of(index, index / 2), target: index };
  if (index !== 11) return Promise.resolve(sample);
  const late = { input: Float32Array.of(-1, -1), target: 0 };
  return new Promise<typeof sample>((resolve) => setTimeout(() => resolve(late), 400));
}
