/** Source that ends its thread at sample 11, like a crash in native code. */
export const length = 40;

export function get(index: number) {
  if (index === 11) Deno.exit(9);
  return { input: Float32Array.of(index, index / 2), target: index };
}
