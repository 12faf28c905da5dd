import { InputError } from "../core/errors.ts";
import type { GraphBuilder } from "../graph/op.ts";

/** Key of a graph's memory of the file that a part of its model was read from. */
const FILE: object = {};

/** Notes that a part of a graph's model was read from a file. */
export function noteFile(graph: GraphBuilder, name: string): void {
  graph.layerState.set(FILE, name);
}

/** @throws {InputError} if a model that was read from a file is to be trained and has no parameters */
export function checkFileWeights(graph: GraphBuilder): void {
  const name = graph.layerState.get(FILE);
  if (name === undefined || graph.leaves("parameter").length > 0) return;
  throw new InputError(
    `model: it has no parameters to train: all tensors of ${name} are frozen or constant, "tacho onnx FILE --tensors" ` +
      'says why. Choose others by the options freeze and train of onnx(), add a layer, use mode "infer", or leave out ' +
      "the optimizer",
  );
}
