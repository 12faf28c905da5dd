/** Source whose samples arrive in one order. */
export const length = 120;

export async function* samples() {
  for (let index = 0; index < length; index++) {
    if (index % 16 === 0) await Promise.resolve();
    yield { input: Float32Array.of(index, index / 2), target: index };
  }
}
