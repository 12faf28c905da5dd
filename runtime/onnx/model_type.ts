import type { Tensor } from "../graph/op.ts";
import type { LayerMark } from "../nn/layer.ts";
import type { Tensors } from "../nn/multi_input.ts";

/** An input or output of an ONNX model. */
export interface OnnxValue {
  readonly name: string;
  /** Name of the element type, such as `float32` or `int64`. */
  readonly type: string;
  /** Sizes; a name or null for one that is open. Null if the file does not say. */
  readonly shape: readonly (number | string | null)[] | null;
}

/** A model from an ONNX file: a layer if it has one input, otherwise a model of a record of tensors by name. */
export interface OnnxModel extends LayerMark {
  (x: Tensor): Tensor;
  (inputs: Tensors): Tensor;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
}
