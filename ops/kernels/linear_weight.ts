import type { TensorType } from "../../runtime/graph/types.ts";

/**
 * Returns the numbers of features that a linear layer's weight maps to and from. Both kinds of weight lie in memory as
 * `[in][out]`: `[out, in]` in layout `io`, as PyTorch's, and `[in, out]` in row-major order.
 */
export function featuresOf({ shape, layout }: TensorType): { readonly out: number; readonly into: number } {
  const [first, second] = shape as [number, number];
  return layout === "io" ? { out: first, into: second } : { out: second, into: first };
}
