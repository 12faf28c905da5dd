/**
 * Operations, the nodes that apply them, the tensors between nodes, and an operation's view of its graph. One module
 * holds them all because the types refer to each other.
 *
 * @module
 */
import type { DType } from "../core/dtype.ts";
import { InputError } from "../core/errors.ts";
import { pascalCase } from "../core/pascal_case.ts";
import type { RangeEntry } from "../core/range.ts";
import type { Shape } from "../core/shape.ts";
import type { Epilogue, KernelPlan, UniformValue } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import type { FormCode } from "./form_code.ts";
import type { AttentionSetting, ImageLayout, Initializer, LeafKind, TensorType } from "./types.ts";

/** Work that a node does. A multiply-add counts as two floating-point operations. */
export interface Cost {
  readonly flops: number;
  /** Minimum bytes read and written. */
  readonly bytes: number;
}

/** Node and device for which an op builds its kernels. */
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
 * Rules by which mixed precision (`compile/amp.ts`) treats an op:
 * - `compute`: benefits from f16 (matmul, convolution)
 * - `follow`: keeps the type of its inputs (pooling, activation)
 * - `normalize`: data may be f16, statistics and parameters stay f32
 * - `wide`: f32 unless everything is f16 (exponentials, logarithms, sums)
 * - `loss`: like `wide`, and reads the batch's fields in their own type
 * - `fixed`: precision is part of the op (casts, bookkeeping)
 */
export const PRECISION_RULES = ["compute", "follow", "normalize", "wide", "loss", "fixed"] as const;

export type PrecisionRule = (typeof PRECISION_RULES)[number];

/**
 * Kinds of work that an op does:
 * - `product`: a matrix product, a convolution, or a gradient of one; its kernels can apply an activation to the result,
 *   unless it is attention as a whole
 * - `elementwise`: works on each element independently and can be fused with other ops
 * - `random`: draws random numbers
 * - `relayout`: changes only the order of elements in memory
 * - `conversion`: changes only the type of elements
 * - `attention`: computes weights of attention, or attention as a whole
 */
export const OP_ROLES = ["product", "elementwise", "random", "relayout", "conversion", "attention"] as const;

export type OpRole = (typeof OP_ROLES)[number];

/** Facts about an op for code that sees only a record of it, such as advice and other tools' dialects. */
export interface OpFacts {
  readonly precision: PrecisionRule;
  readonly roles: readonly OpRole[];
  /** The op's name in other tools, by dialect; listed only where it differs from the type in Pascal case. */
  readonly aliases: Readonly<Record<string, string>>;
}

/**
 * WGSL of an op whose output depends element by element on the inputs. The code computes the four elements of vector
 * `i`; every input and the value are a `vec4<f32>`. It is plain data, so that ops can be chained into one kernel.
 */
export interface ElementwiseForm {
  /** Family of the op's kernels. */
  readonly name: string;
  /**
   * Name of each input in the code: its four elements, or a buffer of elements of `type` that the code indexes itself.
   */
  readonly inputs: readonly (string | { readonly buffer: string; readonly type: string })[];
  /** Statements before the value is computed. */
  readonly statements?: string | FormCode;
  /** The output's four elements. */
  readonly value: string | FormCode;
  /** Functions that the code calls, one declaration per entry, since two forms may share a function. */
  readonly prelude?: readonly string[];
  /** Fields of `u` that the code reads. */
  readonly uniforms?: Readonly<Record<string, UniformValue>>;
  /** True if the code depends on `i`. */
  readonly positional?: boolean;
  /** Floating-point operations per element. */
  readonly flops: number;
  /** Type of the script's own op that the code is from; see {@linkcode OpDef.ownOps}. */
  readonly own?: string;
}

/** An output that may overwrite an input. */
export interface InPlace {
  readonly input: number;
  readonly output: number;
}

/**
 * One operation: shape rule, cost, gradient and kernels. `A` is the type of its attributes, which are plain data.
 *
 * Methods throw `InputError` when the user's model is wrong; the graph adds the layer's name to the message.
 */
export interface OpDef<A = unknown> {
  /** Name of the operation, such as `conv2d`; reports group by it. */
  readonly type: string;
  readonly precision: PrecisionRule;
  /** Roles other than `elementwise`, which {@linkcode OpDef.elementwise} implies. */
  readonly roles?: readonly OpRole[];
  /** See {@linkcode OpFacts.aliases}. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Checks the inputs and returns the types of the outputs. */
  shape(inputs: readonly TensorType[], attrs: A): readonly TensorType[];
  cost(inputs: readonly TensorType[], outputs: readonly TensorType[], attrs: A): Cost;
  /**
   * Adds the nodes of the gradient and returns the gradient of each input, or `null` for an input without one.
   * `needs[i]` is false if the gradient of input i is not used: return `null` for it and add no nodes. `dys[i]` is null
   * if the loss does not depend on output i.
   */
  gradient?(node: Node<A>, dys: readonly (Tensor | null)[], needs: readonly boolean[]): readonly (Tensor | null)[];
  /** Returns the alternative kernels, the adapter's default first. Leaves and views return none. */
  candidates(context: KernelContext<A>): readonly KernelPlan[];
  /** Returns the op as elementwise code, from which chains are fused. Absent if the op is not elementwise. */
  elementwise?(attrs: A, randomKey: number): ElementwiseForm;
  /**
   * Returns the outputs that may overwrite an input which is not read afterwards, preferred pairs first. Both must have
   * the same type. In every candidate, the invocation that writes an element of the output must be the last to read
   * that element of the input, and must read it before the write.
   */
  inPlace?(inputs: readonly TensorType[], outputs: readonly TensorType[], attrs: A): readonly InPlace[];
  /** Returns the types of the script's own ops whose code the kernels contain; errors about the kernels name them. */
  ownOps?(attrs: A): readonly string[];
  /** Indices of the inputs that the op also writes (running statistics, bookkeeping). */
  readonly mutates?: readonly number[];
  /** Returns attributes with which the op computes the same outputs and leaves the inputs in `mutates` as they are. */
  recomputed?(attrs: A): unknown;
  /** Returns true if the output is a view of input 0: same elements, same order, no kernel. */
  isView?(inputs: readonly TensorType[], attrs: A): boolean;
  /**
   * Returns the element of input 0 at which each output begins in memory if all outputs are contiguous parts of it, or
   * null. A plan runs no kernel for parts that it can bind.
   */
  parts?(inputs: readonly TensorType[], attrs: A): readonly number[] | null;
}

/** Returns the facts that a record of the op carries. */
export function factsOf({ precision, roles = [], aliases = {}, elementwise }: OpDef<never>): OpFacts {
  return { precision, roles: elementwise === undefined ? roles : ["elementwise", ...roles], aliases };
}

/** Returns the names of a fused op. SINGA, which fuses nothing, would log one name for each member. */
export function fusedAliases({ aliases = {} }: OpDef<never>, members: readonly Member[]): OpFacts["aliases"] {
  if (members.length === 0) return aliases;
  return { ...aliases, singa: members.map(({ op }) => op.aliases?.["singa"] ?? pascalCase(op.type)).join("+") };
}

/** An applied operation. */
export interface Node<A = unknown> {
  /** Path made from the scopes, such as `layer1.0.conv1`; unique in its graph and the same in every build. */
  readonly id: string;
  /** Layer that the node belongs to. For a gradient, the layer of its forward node. */
  readonly layer: string;
  /** Key of the node's random draws: a hash of its ID. A copy keeps the key and draws the same numbers. */
  readonly randomKey: number;
  readonly op: OpDef<A>;
  readonly attrs: A;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly TensorType[];
  /** Name of the phase of a step that the node belongs to (`record/phases.ts`). */
  readonly phase: string;
  /** The user's range in which the node was added (`core/range.ts`). */
  readonly range?: RangeEntry;
  /** True for a copy of a forward node that computes an activation again in the backward pass. */
  readonly recomputed?: boolean;
  /** The nodes that a fused node replaces. */
  readonly members?: readonly Member[];
}

/** A node that a fused node replaces. */
export interface Member {
  readonly id: string;
  readonly op: OpDef<never>;
}

/** Returns what a node computes: the nodes that it replaces, or itself. */
export function membersOf({ id, op, members }: Node): readonly Member[] {
  return members ?? [{ id, op }];
}

/** `train` uses batch statistics and dropout; `infer` uses running statistics and no dropout. */
export type Mode = "train" | "infer";

/** The interface through which ops and layers add to a graph; `Graph` implements it. */
export interface GraphBuilder {
  readonly mode: Mode;
  /** Layout of images that the model makes from other shapes. */
  readonly imageLayout: ImageLayout;
  /** Form in which attention is added. */
  readonly attention: AttentionSetting;
  /** Nodes in the order of their addition, which is a valid execution order. */
  readonly nodes: readonly Node[];
  /** Per-layer memory of this graph, such as the parameters that a layer made; keyed by the layer. */
  readonly layerState: WeakMap<object, unknown>;
  /**
   * Adds a node and returns its outputs. `name` is the last part of the ID and defaults to the op's type; a number is
   * appended if the ID is taken. `members` are the nodes that a fused node replaces.
   */
  apply<A>(op: OpDef<A>, attrs: A, inputs: readonly Tensor[], name?: string, members?: readonly Member[]): Tensor[];
  /**
   * Returns the leaf of this name, added on first use.
   *
   * @throws {InputError} if the name belongs to a leaf of another kind
   */
  leaf(kind: LeafKind, name: string, type: TensorType, initializer?: Initializer): Tensor;
  /** Returns the leaf for a field of the batch, added on first use. */
  input(field: string, type: TensorType): Tensor;
  /** Returns the fields of the batch that the graph reads, by name. */
  inputs(): Map<string, Tensor>;
  /** Returns the leaves of a kind, in the order of their addition. */
  leaves(kind: LeafKind): Tensor[];
  /** Returns the step state on the device (seed, step and update counters), which random ops read. */
  stepState(): Tensor;
  /** Returns the loss scale; 1 unless mixed precision scales the loss. */
  lossScale(): Tensor;
  /** Returns the position in a sequence. It starts at 0 and moves where the model assigns to it. */
  position(): Tensor;
  /**
   * Runs `build` with `name` appended to the path of the nodes it adds. With `single`, `build` applies one layer, which
   * takes the scope's path as its name instead of appending to it.
   */
  scope<T>(name: string, build: () => T, options?: { single?: boolean }): T;
  /** Returns a unique path for a layer of `type` in this scope: the scope's path, or that path and the type. */
  layerPath(type: string): string;
  /**
   * Runs `build` with the layer's path as both the name and the layer of the nodes it adds. They belong to `range`, by default
   * to the current one.
   */
  inLayer<T>(path: string, build: () => T, range?: RangeEntry): T;
  /** Runs `build` and assigns the nodes it adds to the gradient of `node`, with IDs below the node's ID. */
  gradientOf<T>(node: Node, build: () => T): T;
}

/** Returns a node's ID as messages show it: the layer or op, without the number that tells its nodes apart. */
export function placeOf(id: string): string {
  return id.replace(/#\d+$/, "");
}

/** Error for a layer that mixes tensors of two graphs: the script keeps a tensor from one build of the model to the next. */
export class ForeignTensorError extends InputError {
  static readonly reason = "mixes tensors of two builds of the model; each variant builds its own graph. Compute the " +
    "tensor inside the layer's function instead of keeping it in a variable outside";

  constructor(id: string) {
    super(`model: layer "${placeOf(id)}": ${ForeignTensorError.reason}`);
  }
}

/**
 * A symbolic tensor: an output of a node in a graph. It has a type and no values; the values exist on the device while
 * a compiled step runs. Layers take tensors and return tensors.
 *
 * @example A residual block, whose skip connection adds the input to the output
 * ```ts
 * import { add, conv2d, relu, type Tensor } from "@tacho/tacho";
 *
 * const body = conv2d(16, { kernel: 3, padding: 1 });
 * const block = (x: Tensor): Tensor => relu()(add(body(x), x));
 * ```
 */
export class Tensor {
  readonly graph: GraphBuilder;
  readonly node: Node;
  readonly index: number;

  /**
   * Creates a reference to an output of a node.
   *
   * @param graph graph that the node belongs to; ops add their nodes to it
   * @param node node that computes the tensor
   * @param index position among the node's outputs
   */
  constructor(graph: GraphBuilder, node: Node, index: number) {
    this.graph = graph;
    this.node = node;
    this.index = index;
  }

  /** Shape, element type and order of the elements in memory. */
  get type(): TensorType {
    return this.node.outputs[this.index]!;
  }

  /** Logical shape, such as `[batch, channels, height, width]` for images in any layout. */
  get shape(): Shape {
    return this.type.shape;
  }

  /** Element type. */
  get dtype(): DType {
    return this.type.dtype;
  }
}
