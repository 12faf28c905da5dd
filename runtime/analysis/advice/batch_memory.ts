import type { Memory } from "../../result/variant.ts";

/** Bytes with a batch `factor` times as large: parameters, gradients and optimizer state stay. */
export function memoryOfBatch(
  { parameters, gradients, optimizer, activations, workspace, feed }: Memory,
  factor: number,
) {
  return parameters + gradients + optimizer + (activations + workspace + feed) * factor;
}
