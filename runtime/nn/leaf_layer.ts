import { formatShape, type Shape } from "../core/shape.ts";
import type { Tensor } from "../graph/op.ts";
import type { Initializer, TensorType } from "../graph/types.ts";
import { layerError, type MarkedLayer, markedLayer } from "./layer.ts";

/** Makes the tensors that a layer keeps; names are parts such as `weight`. */
export interface TensorMaker {
  /** A tensor that is trained. */
  parameter(name: string, type: TensorType, initializer: Initializer): Tensor;
  /** A tensor that is kept across steps but not trained. */
  state(name: string, type: TensorType, initializer: Initializer): Tensor;
}

/** A layer without weights. */
export interface PlainLayer {
  readonly type: string;
  /** Adds the layer's nodes. `fail` is the error to throw where the input does not fit. */
  apply(x: Tensor, fail: Fail): Tensor;
}

/** A layer with weights, which are made at its first application in a graph and shared by the others. */
export interface WeightedLayer<W> {
  readonly type: string;
  /** The size that the weights depend on, such as the number of channels; throws `fail` for an unfit input. */
  size(shape: Shape, fail: Fail): number;
  /** What `size` counts, in the plural. */
  readonly unit: string;
  create(make: TensorMaker, x: Tensor, fail: Fail): W;
  apply(x: Tensor, weights: W, fail: Fail): Tensor;
}

/** Makes the error for a layer with the layer's path in front. */
export type Fail = (message: string) => Error;

/** A layer that takes the name of its scope, or adds its type to it. */
export function plainLayer({ type, apply }: PlainLayer): MarkedLayer {
  return markedLayer({ type, leaf: true }, (x) => {
    const path = x.graph.layerPath(type);
    return x.graph.inLayer(path, () => apply(x, (message) => layerError(path, message)));
  });
}

/** What a layer remembers about a graph. */
interface Built<W> {
  readonly path: string;
  readonly shape: Shape;
  readonly size: number;
  readonly weights: W;
}

/** A layer with weights; see {@linkcode plainLayer} for its name. */
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
    return x.graph.inLayer(path, () => definition.apply(x, built.weights, fail));
  });
  return self;
}

function maker({ graph }: Tensor, path: string): TensorMaker {
  return {
    parameter: (name, type, initializer) => graph.leaf("parameter", `${path}.${name}`, type, initializer),
    state: (name, type, initializer) => graph.leaf("state", `${path}.${name}`, type, initializer),
  };
}
