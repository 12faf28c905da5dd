/** Samples whose values are the squares of their indices. */
export const length = 20;

export function get(index: number) {
  return { input: new Float32Array(6).fill(index ** 2), target: index % 7 };
}
