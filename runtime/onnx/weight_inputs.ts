import type { OnnxGraph } from "./format/model.ts";

/** Inputs that are weights, by operator: their initializers are trained even if they have one element. */
const WEIGHT_INPUTS: ReadonlyMap<string, readonly number[]> = new Map([
  ["BatchNormalization", [1, 2, 3, 4]],
  ["Conv", [1, 2]],
  ["ConvTranspose", [1, 2]],
  ["GRU", [1, 2, 3]],
  ["Gemm", [1, 2]],
  ["GroupNormalization", [1, 2]],
  ["InstanceNormalization", [1, 2]],
  ["LSTM", [1, 2, 3]],
  ["LayerNormalization", [1, 2]],
  ["MatMul", [1]],
  ["PRelu", [1]],
  ["RMSNormalization", [1]],
  ["RNN", [1, 2, 3]],
]);

/** Returns the names of the values that nodes use as weights. */
export function weightInputs({ nodes }: OnnxGraph): Set<string> {
  return new Set(
    nodes.flatMap(({ type, inputs }) => (WEIGHT_INPUTS.get(type) ?? []).map((i) => inputs[i] ?? "")),
  );
}
