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
  /**
   * Name of the data's field for an input of a model with several, such as `x_1` for the input `x.1`; absent for other
   * values.
   */
  readonly field?: string;
}

/**
 * Use of a tensor in training: `trained` tensors change, `frozen` ones would without the option `freeze`, norms update
 * `state`, and a `constant` stays.
 */
export type OnnxUsage = "trained" | "frozen" | "state" | "constant";

/** A tensor that an ONNX file holds. */
export interface OnnxTensor {
  /** Name in the file. */
  readonly name: string;
  /** Name of the element type, such as `float32` or `int64`. */
  readonly type: string;
  readonly shape: readonly number[];
  readonly usage: OnnxUsage;
  /** Evidence for the usage in a few words. */
  readonly reason: string;
}

/** A model from an ONNX file: a layer if it has one input, otherwise a model of a record of tensors by name. */
export interface OnnxModel extends LayerMark {
  (x: Tensor): Tensor;
  (inputs: Tensors): Tensor;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** Tensors of the file, and whether they are trained. */
  readonly tensors: readonly OnnxTensor[];
}
