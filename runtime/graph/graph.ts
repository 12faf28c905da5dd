import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { hashText } from "../core/random.ts";
import { currentRange, type RangeEntry } from "../core/range.ts";
import { formatShape, sizeOf } from "../core/shape.ts";
import { type LeafAttrs, leafAttrs, leafOp } from "./leaf.ts";
import {
  ForeignTensorError,
  type GraphBuilder,
  type Member,
  type Mode,
  type Node,
  type OpDef,
  placeOf,
  Tensor,
} from "./op.ts";
import {
  type AttentionSetting,
  type ImageLayout,
  type Initializer,
  type LeafKind,
  rowMajor,
  type TensorType,
} from "./types.ts";

/** Largest number of elements in a tensor: kernels count elements in 32 bits. */
const MAX_ELEMENTS = 0xffffffff;

/**
 * A computation under construction. Nodes are stored in the order of their addition, which is a valid execution order.
 */
export class Graph implements GraphBuilder {
  readonly nodes: Node[] = [];
  readonly layerState: WeakMap<object, unknown> = new WeakMap();
  readonly #ids = new UniqueNames("#");
  readonly #layerNames = new UniqueNames("_");
  readonly #leaves = new Map<string, Tensor>();
  #scope: { path: string; leaf: boolean } = { path: "", leaf: false };
  #phase = "forward";
  #layer: string | null = null;
  #range: RangeEntry | undefined;

  readonly mode: Mode;
  readonly imageLayout: ImageLayout;
  readonly attention: AttentionSetting;

  constructor(mode: Mode = "train", imageLayout: ImageLayout = "nhwc", attention: AttentionSetting = "auto") {
    this.mode = mode;
    this.imageLayout = imageLayout;
    this.attention = attention;
  }

  apply<A>(
    op: OpDef<A>,
    attrs: A,
    inputs: readonly Tensor[],
    name: string = op.type,
    members?: readonly Member[],
  ): Tensor[] {
    const id = this.#ids.claim(this.#path(name));
    const range = this.#range ?? currentRange();
    const fused = members === undefined ? {} : { members };
    const node = {
      id,
      layer: this.#layer ?? id,
      randomKey: hashText(id),
      op,
      attrs,
      inputs,
      phase: this.#phase,
      ...fused,
    };
    return this.#add(range === undefined ? node : { ...node, range });
  }

  /**
   * Adds a copy of `node` with new inputs and the same layer, phase and random draws, for passes that rewrite a graph.
   * The copy keeps the node's ID, with a number appended if the ID is taken.
   */
  replay<A>(node: Node<A>, inputs: readonly Tensor[], op: OpDef<A> = node.op, attrs: A = node.attrs): Tensor[] {
    return this.#add({ ...node, id: this.#ids.claim(node.id), op, attrs, inputs });
  }

  /** Adds a copy of a forward node of another graph to the backward pass, with its layer and random draws. */
  replayAgain<A>(node: Node<A>, inputs: readonly Tensor[]): Tensor[] {
    const attrs = (node.op.recomputed?.(node.attrs) ?? node.attrs) as A;
    const id = this.#ids.claim(`${node.id}/recompute`);
    return this.#add({ ...node, id, attrs, inputs, phase: "backward", recomputed: true });
  }

  leaf(kind: LeafKind, name: string, type: TensorType, initializer?: Initializer): Tensor {
    const known = this.#leaves.get(name);
    if (known !== undefined) {
      const { kind: other } = known.node.attrs as LeafAttrs;
      if (other !== kind) throw new InputError(`"${name}" names both a leaf of kind ${other} and one of kind ${kind}`);
      return known;
    }
    const attrs: LeafAttrs = initializer === undefined ? { kind, type } : { kind, type, initializer };
    const [tensor] = this.#add({
      id: this.#ids.claim(name),
      layer: name,
      randomKey: 0,
      op: leafOp,
      attrs,
      inputs: [],
      phase: "forward",
    }) as [Tensor];
    this.#leaves.set(name, tensor);
    return tensor;
  }

  input(field: string, type: TensorType): Tensor {
    return this.leaf("input", `@${field}`, type);
  }

  inputs(): Map<string, Tensor> {
    return new Map(this.leaves("input").map((tensor) => [tensor.node.id.replace(/^@/, ""), tensor]));
  }

  stepState(): Tensor {
    return this.leaf("stepState", "@step", rowMajor([4], "u32"));
  }

  lossScale(): Tensor {
    return this.leaf("lossScale", "@lossScale", rowMajor([1], "f32"));
  }

  position(): Tensor {
    return this.leaf("position", "@position", rowMajor([1], "i32"));
  }

  leaves(kind: LeafKind): Tensor[] {
    return [...this.#leaves.values()].filter((tensor) => (tensor.node.attrs as LeafAttrs).kind === kind);
  }

  scope<T>(name: string, build: () => T, options: { single?: boolean } = {}): T {
    const outer = this.#scope;
    this.#scope = { path: join(outer.path, name), leaf: options.single ?? false };
    try {
      return build();
    } finally {
      this.#scope = outer;
    }
  }

  layerPath(type: string): string {
    return this.#layerNames.claim(this.#path(type));
  }

  inLayer<T>(path: string, build: () => T, ofRange: RangeEntry | undefined = this.#range): T {
    const [scope, layer, range] = [this.#scope, this.#layer, this.#range];
    this.#scope = { path, leaf: true };
    this.#layer = path;
    this.#range = ofRange;
    try {
      return build();
    } finally {
      [this.#scope, this.#layer, this.#range] = [scope, layer, range];
    }
  }

  gradientOf<T>(node: Node, build: () => T): T {
    const [scope, phase, layer, range] = [this.#scope, this.#phase, this.#layer, this.#range];
    this.#scope = { path: `${node.id}/`, leaf: false };
    this.#phase = "backward";
    this.#layer = node.layer;
    this.#range = node.range;
    try {
      return build();
    } finally {
      [this.#scope, this.#phase, this.#layer, this.#range] = [scope, phase, layer, range];
    }
  }

  #path(name: string): string {
    return this.#scope.leaf ? this.#scope.path : join(this.#scope.path, name);
  }

  #add<A>(node: Omit<Node<A>, "outputs">): Tensor[] {
    for (const input of node.inputs) {
      if (input.graph !== this) throw new ForeignTensorError(node.id);
    }
    let outputs: readonly TensorType[];
    try {
      outputs = node.op.shape(node.inputs.map((input) => input.type), node.attrs);
    } catch (error) {
      if (!isInstance(error, InputError)) throw error;
      throw new InputError(`model: layer "${placeOf(node.id)}": ${error.message}`, { cause: error });
    }
    const added: Node<A> = { ...node, outputs };
    for (const type of outputs) checkElements(added as Node, type);
    this.nodes.push(added as Node);
    return outputs.map((_, index) => new Tensor(this, added as Node, index));
  }
}

/** @throws {InputError} if a tensor has more elements than kernels can count */
function checkElements(node: Node, { shape }: TensorType): void {
  const elements = sizeOf(shape);
  if (elements <= MAX_ELEMENTS) return;
  const [what, fix] = sizedBy(node);
  throw new InputError(
    `model: ${what} ${formatShape(shape)} has ${elements} elements; expected at most ${MAX_ELEMENTS}, since kernels ` +
      `count elements in 32 bits. Lower ${fix}`,
  );
}

/** Returns the name of a node's output in messages, and what to lower if it is too large. */
function sizedBy(node: Node): readonly [what: string, fix: string] {
  switch (leafAttrs({ node })?.kind) {
    case "input":
      return [`the batch's ${node.id.replace(/^@/, "")}`, "loader.batchSize or the size of a sample"];
    case "parameter":
    case "state":
      return [`the parameter "${node.id}"`, "the size of the layer or of its input"];
    default:
      return [`layer "${placeOf(node.id)}": its output`, "loader.batchSize or the size of the layer"];
  }
}

function join(path: string, name: string): string {
  if (path === "" || path.endsWith("/")) return path + name;
  return `${path}.${name}`;
}

/** Hands out names that occur once: appends a number to a name that is taken. */
class UniqueNames {
  readonly #separator: string;
  readonly #taken = new Set<string>();
  /** Numbers from which on a name may be free, by the name without a number. */
  readonly #next = new Map<string, number>();

  /** @param separator text between a name and its number */
  constructor(separator: string) {
    this.#separator = separator;
  }

  /** Returns a name that is free, and takes it. */
  claim(path: string): string {
    let name = path;
    let i = this.#next.get(path) ?? 1;
    for (; this.#taken.has(name); i++) name = `${path}${this.#separator}${i}`;
    this.#next.set(path, i);
    this.#taken.add(name);
    return name;
  }
}
