/**
 * Types of ops that a script defines.
 *
 * @module
 */
import type { Operand } from "../../../ops/elementwise_op.ts";
import type { DType } from "../../core/dtype.ts";
import type { Shape } from "../../core/shape.ts";
import type { DeviceTraits } from "../../device/traits.ts";
import type { Cost, OpFacts, PrecisionRule, Tensor } from "../../graph/op.ts";

/** Names of an op's inputs or outputs, as its code refers to them. */
export type TensorNames = readonly [string, ...string[]];

/** Shape and element type of a tensor. */
export interface TensorInfo {
  readonly shape: Shape;
  readonly dtype: DType;
  /** Number of elements. */
  readonly size: number;
}

/** Shapes and element types of tensors, by name. */
export type TensorInfos<N extends string> = Readonly<Record<N, TensorInfo>>;

/** Options of an op: plain data, which kernels may depend on. */
export type OpOptions = Readonly<Record<string, number | boolean | string | readonly number[]>>;

/** The adapter, as far as kernels may depend on it. */
export type OpDevice = Pick<
  DeviceTraits,
  "class" | "f16" | "subgroupSize" | "maxInvocations" | "maxWorkgroupBytes"
>;

/** A uniform's value; a bare number is a `u32`. */
export type OpUniform = number | { readonly f32: number } | { readonly i32: number };

/**
 * One dispatch of a kernel in WGSL.
 *
 * Tensors are row-major. For a tensor `x`, the code may call `load_x(i)`, and `store_x(i, value)` if `x` is an output or
 * scratch memory. Values of f32 and f16 tensors are `f32`, or `vec4<f32>` for tensors in `vectors`; others have the
 * tensor's type. The buffer itself is `x`, an array of the tensor's element type. Uniforms are `u.name`.
 */
export interface OpPass<N extends string, A extends OpOptions> {
  /** Tensors that the code reads and writes as vectors of four elements; the last vector may reach past the end. */
  readonly vectors?: readonly NoInfer<N>[];
  /** Returns the uniforms by name. */
  uniforms?(tensors: TensorInfos<N>, options: A, device: OpDevice): Readonly<Record<string, OpUniform>>;
  /** WGSL at module scope: functions, constants, workgroup memory. */
  readonly declarations?: string;
  /**
   * The body of the kernel. It sees the builtins `gid`, `lid`, `wid`, `grid` (workgroups) as `vec3<u32>` and `lix`, the
   * index in the workgroup. With `invocations`, it also sees `index`, which is below their number; with a number of
   * `workgroups`, it sees `group`.
   */
  readonly code: string | ((tensors: TensorInfos<N>, options: A, device: OpDevice) => string);
  /** Invocations per workgroup. Default: 64. */
  readonly workgroupSize?: number | readonly [number, number?, number?];
  /** Returns the number of invocations. */
  invocations?(tensors: TensorInfos<N>, options: A, device: OpDevice): number;
  /** Returns the number of workgroups, in up to three dimensions; instead of `invocations`. */
  workgroups?(
    tensors: TensorInfos<N>,
    options: A,
    device: OpDevice,
  ): number | readonly [number, number?, number?];
}

/** One way to compute an op. */
interface KernelChoice<N extends string, A extends OpOptions> {
  /** Name in reports, such as `rows`. */
  readonly name: string;
  /** Returns true for shapes, options and adapters that the kernel supports. Default: all. */
  when?(tensors: TensorInfos<N>, options: A, device: OpDevice): boolean;
}

/** A kernel of one dispatch. */
export type SinglePassKernel<N extends string, A extends OpOptions> = KernelChoice<N, A> & OpPass<N, A>;

/** A kernel of several dispatches, which may share scratch memory. */
export interface MultiPassKernel<N extends string, A extends OpOptions> extends KernelChoice<N, A> {
  /** Returns the number of f32 elements of each scratch buffer, by name. */
  scratch?(tensors: TensorInfos<N>, options: A, device: OpDevice): Readonly<Record<string, number>>;
  readonly passes: readonly OpPass<N, A>[];
}

export type OpKernel<N extends string, A extends OpOptions> = SinglePassKernel<N, A> | MultiPassKernel<N, A>;

/** Tensors from which a gradient is computed. */
export interface GradientContext<I extends TensorNames, O extends TensorNames, A extends OpOptions> {
  readonly inputs: Readonly<Record<I[number], Tensor>>;
  readonly outputs: Readonly<Record<O[number], Tensor>>;
  /** Gradient of each output; null if the loss does not depend on the output, which must be one of several. */
  readonly gradients: Readonly<Record<O[number], O extends readonly [string] ? Tensor : Tensor | null>>;
  readonly options: A;
}

/** An op with kernels in WGSL. */
export interface KernelOpDefinition<I extends TensorNames, O extends TensorNames, A extends OpOptions> {
  /** Name in reports: lower case, such as `fused_swiglu`. */
  readonly type: string;
  /** Names of the inputs, in the order of the arguments. */
  readonly inputs: I;
  /** Names of the outputs. Default: `["y"]`. */
  readonly outputs?: O;
  /** Options with their defaults. */
  readonly options?: A;
  /**
   * Returns the shape of each output, and its element type unless that is the first input's. An error that it throws is
   * reported with the layer's name.
   */
  shape(
    inputs: TensorInfos<I[number]>,
    options: A,
  ): Readonly<Record<O[number], Shape | { readonly shape: Shape; readonly dtype: DType }>>;
  /**
   * Returns the floating-point operations, a multiply-add as two, for the roofline; or these with the bytes read and
   * written, which otherwise are those of all inputs and outputs.
   */
  cost(tensors: TensorInfos<I[number] | O[number]>, options: A): number | Cost;
  /** Treatment by mixed precision. Default: `follow`. */
  readonly precision?: PrecisionRule;
  /** Names of the op in other tools' logs, by dialect. */
  readonly aliases?: OpFacts["aliases"];
  /**
   * Returns the gradient of each input, computed by other ops or by another op of your own; null for an input without
   * one. Absent if the op is used in inference only.
   */
  gradient?(context: GradientContext<I, O, A>): Readonly<Record<I[number], Tensor | null>>;
  /** Alternatives, the default first. `compile.autotune` chooses among those that support shapes and adapter. */
  readonly kernels: readonly OpKernel<I[number] | O[number], A>[];
}

/** Derivative of an elementwise op with respect to an operand. */
export interface OperandGradient {
  /** WGSL over `vec4<f32>` in terms of `dy`, the operands and the output `y`. */
  readonly value: string;
  /** Floating-point operations per element. */
  readonly flops: number;
}

/**
 * An op whose output depends element by element on its operands, which are broadcast. It fuses with other elementwise
 * ops and with reductions.
 */
export interface ElementwiseOpDefinition<I extends TensorNames> {
  /** Name in reports: lower case, such as `squareplus`. */
  readonly type: string;
  /** Names of the operands, in the order of the arguments; each argument is a tensor or a number. */
  readonly inputs: I;
  /** The output as WGSL over `vec4<f32>` in terms of the operands. */
  readonly value: string;
  /** Floating-point operations per element. */
  readonly flops: number;
  /** Derivative with respect to each operand; null for 0. Absent if the op is used in inference only. */
  readonly gradients?: Readonly<Record<I[number], OperandGradient | null>>;
  /** WGSL functions that the expressions call, one declaration per entry. */
  readonly functions?: readonly string[];
  /** Treatment by mixed precision. Default: `follow`. */
  readonly precision?: PrecisionRule;
  /** Names of the op in other tools' logs, by dialect. */
  readonly aliases?: OpFacts["aliases"];
}

/** One output is returned as it is, several as a list. */
export type OpResult<O extends TensorNames> = O extends readonly [string] ? Tensor
  : { readonly [K in keyof O]: Tensor };

/** The last argument of an op that has options. */
type OptionsArgument<A> = keyof A extends never ? [] : [options?: Partial<A>];

/** An op with kernels. Arguments: the input tensors, then options that replace the defaults. */
export interface KernelOp<I extends TensorNames, O extends TensorNames, A extends OpOptions> {
  (...args: [...{ readonly [K in keyof I]: Tensor }, ...OptionsArgument<A>]): OpResult<O>;
  readonly type: string;
  readonly inputs: I;
}

/** An elementwise op. Arguments: its operands, at least one of them a tensor. */
export interface ElementwiseOwnOp<I extends TensorNames> {
  (...operands: { readonly [K in keyof I]: Operand }): Tensor;
  readonly type: string;
  readonly inputs: I;
}

/** Definitions and ops without their names' types, for code that serves all of them. */
export type AnyPass = OpPass<string, OpOptions>;
export type AnyKernel = OpKernel<string, OpOptions>;
export type AnyKernelOp = KernelOpDefinition<TensorNames, TensorNames, OpOptions>;
