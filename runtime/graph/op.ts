import type { DeviceTraits } from "../device/traits.ts";
import type { KernelPlan, UniformValue } from "../device/kernel.ts";
import type { Node } from "./node.ts";
import type { Tensor } from "./tensor.ts";
import type { TensorType } from "./types.ts";

/** Work of a node. A multiply-add counts as two floating-point operations. */
export interface Cost {
  readonly flops: number;
  /** Bytes that must be read and written at the least. */
  readonly bytes: number;
}

/** What a candidate is made for. */
export interface KernelContext<A> {
  readonly attrs: A;
  readonly inputs: readonly TensorType[];
  readonly outputs: readonly TensorType[];
  readonly traits: DeviceTraits;
  /** Key of the node's random draws: a hash of its id. */
  readonly randomKey: number;
}

/**
 * How mixed precision treats an op (see `compile/amp.ts`):
 * - `compute`: gains from f16 (matmul, convolution)
 * - `follow`: takes what it gets (pooling, activation)
 * - `normalize`: data may be f16, statistics and parameters stay f32
 * - `loss`: f32 unless everything is f16
 * - `fixed`: precision is part of the op (casts, bookkeeping)
 */
export type DTypeRule = "compute" | "follow" | "normalize" | "loss" | "fixed";

/**
 * An op whose output depends, element by element, on what stands at the same place in its inputs: WGSL over the four
 * elements of vector `i`, each a `vec4<f32>`. Plain data, so that ops can be chained into one kernel.
 */
export interface ElementwiseForm {
  /** Family of the op's kernels. */
  readonly name: string;
  /** What the code calls each input: its four elements, or a buffer with elements of `type` that it indexes itself. */
  readonly inputs: readonly (string | { readonly buffer: string; readonly type: string })[];
  /** Statements before the value is computed. */
  readonly statements?: string;
  /** The output's four elements. */
  readonly value: string;
  /** Functions that the code calls, each declaration by itself, since two forms may share one. */
  readonly prelude?: readonly string[];
  /** Fields of `u` that the code reads. */
  readonly uniforms?: Readonly<Record<string, UniformValue>>;
  /** Floating-point operations per element. */
  readonly flops: number;
}

/** An output that may be written over an input. */
export interface InPlace {
  readonly input: number;
  readonly output: number;
}

/**
 * One operation: shape rule, cost, gradient and kernels. `A` is the type of its attributes, which are plain data.
 *
 * Methods throw `InputError` when what the user wrote does not fit; the graph adds the layer's name.
 */
export interface OpDef<A = unknown> {
  /** Name of the operation, such as `conv2d`; what reports group by. */
  readonly type: string;
  readonly dtypeRule: DTypeRule;
  /** Types of the outputs; checks the inputs. */
  shape(inputs: readonly TensorType[], attrs: A): readonly TensorType[];
  cost(inputs: readonly TensorType[], outputs: readonly TensorType[], attrs: A): Cost;
  /**
   * Adds the nodes of the gradient and returns the gradient of each input, or `null` for none. `needs[i]` is false
   * where input i's gradient would not be used: return `null` there and add no nodes for it. `dys[i]` is null where
   * output i does not reach the loss.
   */
  gradient?(node: Node<A>, dys: readonly (Tensor | null)[], needs: readonly boolean[]): readonly (Tensor | null)[];
  /** Ways to compute it, the default for the adapter first. Empty for leaves and views. */
  candidates(context: KernelContext<A>): readonly KernelPlan[];
  /** The op as code for one element, where it is one; what chains are fused from. */
  elementwise?(attrs: A, randomKey: number): ElementwiseForm;
  /**
   * Outputs that may take the place of an input nobody reads afterwards, the most welcome first. Both must have one type,
   * and every candidate must read an element of the input for the last time before it writes that element of the output,
   * in one invocation (`compile/in_place.ts` makes the kernels).
   */
  inPlace?(inputs: readonly TensorType[], outputs: readonly TensorType[], attrs: A): readonly InPlace[];
  /** Inputs that the op also writes (running statistics, bookkeeping). */
  readonly mutates?: readonly number[];
  /** The output is another view of input 0: same elements, same order, no kernel. */
  isView?(inputs: readonly TensorType[], attrs: A): boolean;
  /** The op draws random numbers, keyed by (seed, step, node id, element). */
  readonly random?: boolean;
}
