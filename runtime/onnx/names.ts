/**
 * Names of layers and weights, from those that exporters write.
 *
 * @module
 */
import { printable } from "../core/printable.ts";
import type { OnnxNode } from "./format/model.ts";

/** Returns an initializer's name as parameters have it: that in the file, with characters that are unsafe to print escaped. */
export function weightName(name: string): string {
  const safe = printable(name);
  // Fields of the batch have names that begin like this
  return safe.startsWith("@") ? `_${safe}` : safe;
}

/**
 * Returns the name of the layer that a node forms: that of its weight without the last part, such as `layer1.0.conv1`;
 * otherwise the path in its own name, as PyTorch writes `/layer1/layer1.0/relu/Relu`; otherwise its name or type.
 *
 * @param weights names of its trained inputs
 */
export function layerName(node: OnnxNode, weights: readonly string[]): string {
  const own = weights.map(weightName).find((name) => name.includes("."));
  if (own !== undefined) return own.slice(0, own.lastIndexOf("."));
  const parts = node.name.split("/").filter((part) => part !== "");
  const scopes = parts.slice(0, -1);
  const path = scopes.filter((part, i) => !scopes[i + 1]?.startsWith(`${part}.`)).map(weightName).join(".");
  if (path !== "") return path;
  return parts.length === 1 ? weightName(parts[0]!) : snakeCase(node.type);
}

/** Returns `layer_normalization` for `LayerNormalization`. */
function snakeCase(type: string): string {
  return weightName(type.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase());
}
