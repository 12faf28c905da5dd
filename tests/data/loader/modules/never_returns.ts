/** Source that hangs at sample 11. */
export const length = 40;

export function get(index: number) {
  while (index === 11) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  return { input: Float32Array.of(index, index / 2), target: index };
}
