import { z } from "zod";
import { positiveInteger } from "../data/checked.ts";
import { gelu, relu, sigmoid, tanh } from "./activations.ts";
import { type Layer, type MarkedLayer, markedLayer } from "./layer.ts";
import { linear } from "./linear.ts";
import { layerOptions } from "./options.ts";
import { sequential } from "./sequential.ts";
import { flatten } from "./shaping.ts";

const ACTIVATIONS = { relu, gelu, tanh, sigmoid } as const;

/** Options of {@linkcode mlp}. */
export interface MlpOptions {
  /** Features of each hidden layer; `[]` gives a linear classifier. */
  hidden: readonly number[];
  /** Features of the output. */
  classes: number;
  /** Default: `relu`. */
  activation?: keyof typeof ACTIVATIONS;
}

const schema = z.strictObject({
  hidden: z.array(positiveInteger, { error: "expected a list of sizes such as [128, 64]" }),
  classes: positiveInteger,
  activation: z.enum(["relu", "gelu", "tanh", "sigmoid"], { error: 'expected "relu", "gelu", "tanh" or "sigmoid"' })
    .default("relu"),
});

/**
 * Creates a multilayer perceptron over flattened samples, `[n, ...]` to `[n, classes]`: linear layers `fc1`, `fc2`, ... with
 * an activation after each except the last.
 *
 * @throws {InputError} if an option is invalid
 */
export function mlp(options: MlpOptions): MarkedLayer {
  const { hidden, classes, activation } = layerOptions("mlp", schema, options);
  const layers: [string, Layer][] = [["flatten", flatten()]];
  hidden.forEach((features, i) => {
    layers.push([`fc${i + 1}`, linear(features)], [`${activation}${i + 1}`, ACTIVATIONS[activation]()]);
  });
  layers.push([`fc${hidden.length + 1}`, linear(classes)]);
  const title = ["mlp", ...hidden].join("-");
  return markedLayer({ type: "mlp", leaf: false, title }, sequential(Object.fromEntries(layers)));
}
