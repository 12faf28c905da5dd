/** Samples with two inputs, a weight, and a target for each token. */
export const length = 20;

export function get(index: number) {
  return {
    tokens: Int32Array.from({ length: 3 }, (_, t) => (index + t) % 5),
    scales: Float32Array.of(index / 4, 1),
    weight: Float32Array.of(1 + index % 2),
    target: [index % 4, -100, (index + 1) % 4],
  };
}
