import { z } from "zod";
import { positiveInteger } from "../data/checked.ts";
import { gelu, relu, sigmoid, tanh } from "./activations.ts";
import { type Layer, type MarkedLayer, markedLayer } from "./layer.ts";
import { linear } from "./linear.ts";
import { layerOptions } from "./options.ts";
import { sequential } from "./sequential.ts";
import { flatten } from "./shaping.ts";

const ACTIVATIONS = { relu, gelu, tanh, sigmoid } as const;

/** What {@linkcode mlp} takes. */
export interface MlpOptions {
  /** Features of each hidden layer; `[]` for a linear classifier. */
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
 * A multilayer perceptron: linear layers `fc1`, `fc2`, ... with an activation after each but the last, over flattened
 * samples.
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
