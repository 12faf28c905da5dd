/** Source that returns promises, some settled at once and some later, in no order. */
export const length = 40;

export async function get(index: number) {
  if (index % 3 === 0) await new Promise((resolve) => setTimeout(resolve, index % 4));
  return { input: Float32Array.of(index, index / 2), target: index };
}
