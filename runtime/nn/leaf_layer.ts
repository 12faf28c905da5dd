import { formatShape, type Shape } from "../core/shape.ts";
import type { Tensor } from "../graph/op.ts";
import type { Initializer, TensorType } from "../graph/types.ts";
import { type Layer, layerError, type MarkedLayer, markedLayer, placed } from "./layer.ts";

/** Creates the tensors that a layer keeps, by names such as `weight`. */
export interface TensorMaker {
  /** Creates a trained tensor. */
  parameter(name: string, type: TensorType, initializer: Initializer): Tensor;
  /** Creates a tensor that is kept across steps but not trained. */
  state(name: string, type: TensorType, initializer: Initializer): Tensor;
}

/** A layer without weights. */
export interface PlainLayer {
  readonly type: string;
  /** Adds the layer's nodes. `fail` creates the error for an unsuitable input. */
  apply(x: Tensor, fail: Fail): Tensor;
}

/** A layer with weights, created at its first application in a graph and shared by later ones. */
export interface WeightedLayer<W> {
  readonly type: string;
  /** Returns the size that the weights depend on, such as the number of channels; throws `fail` for an unsuitable input. */
  size(shape: Shape, fail: Fail): number;
  /** Unit of `size`, in the plural. */
  readonly unit: string;
  create(make: TensorMaker, x: Tensor, fail: Fail): W;
  apply(x: Tensor, weights: W, fail: Fail): Tensor;
}

/** Creates an error that begins with the layer's path. */
export type Fail = (message: string) => Error;

/** Creates a layer without weights. It takes the name of its scope, or adds its type to it. */
export function plainLayer({ type, apply }: PlainLayer): MarkedLayer {
  return markedLayer({ type, leaf: true }, (x) => {
    const path = x.graph.layerPath(type);
    return x.graph.inLayer(path, () => attempt(path, (fail) => apply(x, fail)));
  });
}

/** Applies a layer; its errors begin with its path. */
function attempt(path: string, apply: (fail: Fail) => Tensor): Tensor {
  const fail: Fail = (message) => layerError(path, message);
  try {
    return apply(fail);
  } catch (error) {
    throw placed(error, fail);
  }
}

/** State of a layer in a graph. */
interface Built<W> {
  readonly path: string;
  readonly shape: Shape;
  readonly size: number;
  readonly weights: W;
}

/** Returns the weights of a layer in the graph of `x`; null if the layer has not been applied there. */
export function weightsOf<W>(layer: Layer, x: Tensor): W | null {
  return (x.graph.layerState.get(layer) as Built<W> | undefined)?.weights ?? null;
}

/** Creates a layer with weights, named as by {@linkcode plainLayer}. */
export function weightedLayer<W>(definition: WeightedLayer<W>): MarkedLayer {
  const { type, unit } = definition;
  const self: MarkedLayer = markedLayer({ type, leaf: true }, (x) => {
    const known = x.graph.layerState.get(self) as Built<W> | undefined;
    const path = known?.path ?? x.graph.layerPath(type);
    const fail: Fail = (message) => layerError(path, message);
    const size = definition.size(x.shape, fail);
    if (known !== undefined && known.size !== size) {
      throw fail(
        `its weights were made for input ${formatShape(known.shape)} with ${known.size} ${unit}, and cannot be ` +
          `applied to ${formatShape(x.shape)} with ${size}; make a second layer for it`,
      );
    }
    const built = known ?? { path, shape: x.shape, size, weights: definition.create(maker(x, path), x, fail) };
    x.graph.layerState.set(self, built);
    return x.graph.inLayer(path, () => attempt(path, (fail) => definition.apply(x, built.weights, fail)));
  });
  return self;
}

function maker({ graph }: Tensor, path: string): TensorMaker {
  return {
    parameter: (name, type, initializer) => graph.leaf("parameter", `${path}.${name}`, type, initializer),
    state: (name, type, initializer) => graph.leaf("state", `${path}.${name}`, type, initializer),
  };
}
