/**
 * Operations, the nodes that apply them, the tensors between nodes, and what an operation sees of its graph: types that
 * refer to each other.
 *
 * @module
 */
import type { DType } from "../core/dtype.ts";
import type { Shape } from "../core/shape.ts";
import type { Epilogue, KernelPlan, UniformValue } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import type { ImageLayout, Initializer, LeafKind, TensorType } from "./types.ts";

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
  /** See {@linkcode Node.randomKey}. */
  readonly randomKey: number;
  /** An output that takes an input's place. Kernels that read this input write the output to its buffer. */
  readonly over?: InPlace;
  /** Applied to what is stored in output 0. */
  readonly epilogue?: Epilogue;
}

/**
 * How mixed precision treats an op (see `compile/amp.ts`):
 * - `compute`: gains from f16 (matmul, convolution)
 * - `follow`: takes what it gets (pooling, activation)
 * - `normalize`: data may be f16, statistics and parameters stay f32
 * - `loss`: f32 unless everything is f16
 * - `fixed`: precision is part of the op (casts, bookkeeping)
 */
export const PRECISION_RULES = ["compute", "follow", "normalize", "loss", "fixed"] as const;

export type PrecisionRule = (typeof PRECISION_RULES)[number];

/**
 * What kind of work an op does:
 * - `product`: a matrix product or convolution, or a gradient of one; its kernels can apply an activation to the result
 * - `elementwise`: independent work on each element, which can be joined with other ops
 * - `random`: draws random numbers
 * - `relayout`: changes only the order of elements in memory
 */
export const OP_ROLES = ["product", "elementwise", "random", "relayout"] as const;

export type OpRole = (typeof OP_ROLES)[number];

/** Facts about an op for those who see only a record of it, such as advice and other tools' dialects. */
export interface OpFacts {
  readonly precision: PrecisionRule;
  readonly roles: readonly OpRole[];
  /** The op's name in other tools, by dialect, where it is not the type in Pascal case. */
  readonly aliases: Readonly<Record<string, string>>;
}

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
  readonly precision: PrecisionRule;
  /** `elementwise` comes by itself from {@linkcode OpDef.elementwise}. */
  readonly roles?: readonly OpRole[];
  /** See {@linkcode OpFacts.aliases}. */
  readonly aliases?: Readonly<Record<string, string>>;
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
}

export function factsOf({ precision, roles = [], aliases = {}, elementwise }: OpDef<never>): OpFacts {
  return { precision, roles: elementwise === undefined ? roles : ["elementwise", ...roles], aliases };
}

/** An applied operation. */
export interface Node<A = unknown> {
  /** Path from the scopes, unique in its graph and the same in every build of it, such as `layer1.0.conv1`. */
  readonly id: string;
  /** The layer it belongs to: the id of the forward node that a gradient is for, or its own. */
  readonly layer: string;
  /** Key of its random draws: a hash of its id, or that of the node that it is a copy of, which draws the same. */
  readonly randomKey: number;
  readonly op: OpDef<A>;
  readonly attrs: A;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly TensorType[];
  /** Name of the phase of a step that it belongs to (`record/phases.ts`). */
  readonly phase: string;
  /** The user's range it was written in, see `core/range.ts`. */
  readonly range?: string;
  /** Ids of the nodes that a fused one stands for. */
  readonly members?: readonly string[];
}

/** `train`: batch statistics and dropout; `infer`: running statistics and none. */
export type Mode = "train" | "infer";

/** A computation that ops and layers add to; see {@linkcode Graph}. */
export interface GraphBuilder {
  readonly mode: Mode;
  /** Layout of images that the model makes of other shapes. */
  readonly imageLayout: ImageLayout;
  /** Nodes in the order in which they were added, in which they can also run. */
  readonly nodes: readonly Node[];
  /** Anything that a layer remembers about this graph, such as the parameters that it made; keyed by the layer. */
  readonly layerState: WeakMap<object, unknown>;
  /**
   * Adds a node and returns its outputs. `name` is the last part of the id, the op's type when left out; a number is
   * added when the id is taken. `members` are the ids of the nodes that a fused one replaces.
   */
  apply<A>(op: OpDef<A>, attrs: A, inputs: readonly Tensor[], name?: string, members?: readonly string[]): Tensor[];
  /**
   * A tensor that nothing computes; the same tensor when asked for again under the same name.
   *
   * @throws {InputError} if the name belongs to a leaf of another kind
   */
  leaf(kind: LeafKind, name: string, type: TensorType, initializer?: Initializer): Tensor;
  /** A field of the batch; the same tensor when asked for again under the same name. */
  input(field: string, type: TensorType): Tensor;
  /** Fields of the batch that the graph reads, by name. */
  inputs(): Map<string, Tensor>;
  /** Leaves of a kind, in the order in which they were made. */
  leaves(kind: LeafKind): Tensor[];
  /** Seed, step and updates on the device; random ops read them. */
  stepState(): Tensor;
  /** The factor on the loss; 1 unless mixed precision scales it. */
  lossScale(): Tensor;
  /**
   * Runs `build` with `name` added to the path of what it makes. `single` says that `build` applies one layer, which
   * then takes the scope's path as its own name instead of adding a part to it.
   */
  scope<T>(name: string, build: () => T, options?: { single?: boolean }): T;
  /** The unique path of a layer of `type` applied here: the scope's own path, or a part of it made from the type. */
  layerPath(type: string): string;
  /** Runs `build` with the layer's own path as the name of the nodes it adds, and as their layer. */
  inLayer<T>(path: string, build: () => T): T;
  /** Runs `build` with what it adds counted as the gradient of `node`, with ids under its id. */
  gradientOf<T>(node: Node, build: () => T): T;
}

/** A symbolic tensor: output `index` of `node`. */
export class Tensor {
  constructor(readonly graph: GraphBuilder, readonly node: Node, readonly index: number) {}

  get type(): TensorType {
    return this.node.outputs[this.index]!;
  }

  /** Logical shape. */
  get shape(): Shape {
    return this.type.shape;
  }

  get dtype(): DType {
    return this.type.dtype;
  }
}
