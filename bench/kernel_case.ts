import type { Tensor } from "../runtime/graph/op.ts";

/** One op on one shape, with a reference for its result. */
export interface KernelCase {
  readonly name: string;
  /** Tensor whose op is timed; the op's first output is checked. */
  readonly output: Tensor;
  /** Returns the inputs to use instead of values drawn from -0.5 to 0.5, in physical order. */
  readonly adjust?: (drawn: readonly Float32Array[]) => Float32Array[];
  /** Computes element `i` of the result in physical order, from the inputs in physical order. */
  readonly reference: (i: number, inputs: readonly Float32Array[]) => number;
  /** Part of a ResNet-20 step that the case belongs to, and the number of layers with this shape. */
  readonly resnet?: { readonly part: string; readonly layers: number };
}
