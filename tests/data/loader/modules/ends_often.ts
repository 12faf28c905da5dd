/** Source that ends its thread at every third sample. */
export const length = 400;

export function get(index: number) {
  if (index % 3 === 0) Deno.exit(3);
  return { input: Float32Array.of(index, index / 2), target: index % 200 };
}
