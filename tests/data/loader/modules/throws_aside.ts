/** Source that fails at sample 11 outside of its call, and never answers there. */
export const length = 40;

export function get(index: number) {
  const sample = { input: Float32Array.of(index, index / 2), target: index };
  if (index !== 11) return Promise.resolve(sample);
  setTimeout(() => {
    throw new Error("torn cable");
  }, 1);
  return new Promise<typeof sample>(() => {});
}
