import type { Tensor } from "../runtime/graph/op.ts";

/** One op on one shape, with what its result should be. */
export interface KernelCase {
  readonly name: string;
  /** The op's first output is what is checked. */
  readonly output: Tensor;
  /** Element `i` of the result in physical order, from the inputs in physical order. */
  readonly reference: (i: number, inputs: readonly Float32Array[]) => number;
  /** The part of a ResNet-20 step that it is, and how many layers have this shape. */
  readonly resnet?: { readonly part: string; readonly layers: number };
}
