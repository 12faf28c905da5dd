/**
 * Runs a graph on a device node by node, with a separate buffer per tensor: ops without the compiler, to check them.
 *
 * @module
 */
import { DTYPE_BYTES } from "../core/dtype.ts";
import { decode, encode } from "../core/f16.ts";
import { toLogical, toPhysical } from "../core/layout.ts";
import { roundUp } from "../core/round_up.ts";
import { sizeOf } from "../core/shape.ts";
import { bindPlan, type BoundDispatch, encodePass } from "../device/bind.ts";
import type { Device } from "../device/device.ts";
import type { BufferRef, KernelPlan, KernelSpec } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import { candidatesOf } from "../graph/candidates.ts";
import { leafAttrs } from "../graph/leaf.ts";
import type { Node, Tensor } from "../graph/op.ts";
import type { TensorType } from "../graph/types.ts";

/** Options of {@linkcode GraphRunner.create}. */
export interface GraphRunnerOptions {
  /** Chooses the candidate that computes a node; the first by default. */
  readonly pick?: (node: Node, candidates: readonly KernelPlan[]) => number;
  /** Overrides of the adapter's traits, such as its class. */
  readonly traits?: Partial<DeviceTraits>;
  /** Changes a kernel before it runs. */
  readonly change?: (kernel: KernelSpec) => KernelSpec;
}

/** Logical, row-major values of leaves, by name. */
export type LeafValues = ReadonlyMap<string, ArrayLike<number>>;

const USAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;

/** The kernels that compute some tensors of a graph, bound to buffers. */
export class GraphRunner {
  readonly #device: Device;
  readonly #traits: DeviceTraits;
  readonly #outputs: readonly Tensor[];
  readonly #buffers = new Map<Node, readonly GPUBuffer[]>();
  readonly #owned: GPUBuffer[] = [];
  readonly #bound: (() => void)[] = [];
  readonly #passes: { readonly label: string; readonly dispatch: BoundDispatch }[] = [];
  readonly #leaves: Node[] = [];

  private constructor(device: Device, outputs: readonly Tensor[], traits: DeviceTraits) {
    this.#device = device;
    this.#traits = traits;
    this.#outputs = outputs;
  }

  /**
   * Allocates buffers and creates the pipelines of all nodes that `outputs` depend on.
   *
   * @throws {InputError} if a kernel of a script does not compile
   */
  static async create(
    device: Device,
    outputs: readonly Tensor[],
    options: GraphRunnerOptions = {},
  ): Promise<GraphRunner> {
    const runner = new GraphRunner(device, outputs, { ...device.traits, ...options.traits });
    const needed = ancestors(outputs);
    try {
      for (const node of outputs[0]!.graph.nodes) if (needed.has(node)) await runner.#add(node, options);
    } catch (error) {
      runner.free();
      throw error;
    }
    return runner;
  }

  /**
   * Computes the outputs from the values of the leaves. Results are logical and row-major. A leaf that an op mutates may
   * be an output and then has the written values.
   */
  async run(leaves: LeafValues): Promise<Float64Array[]> {
    for (const node of this.#leaves) this.#write(node, leaves);
    const encoder = this.#device.gpu.createCommandEncoder();
    for (const { label, dispatch } of this.#passes) encodePass(encoder, label, [dispatch]);
    this.#device.submit(encoder);
    const bytes = await this.#device.read(this.#outputs.map((tensor) => ({
      buffer: this.#buffers.get(tensor.node)![tensor.index]!,
      offset: 0,
      size: bytesOf(tensor.type),
    })));
    await this.#device.settle();
    return this.#outputs.map(({ dtype, shape, type }, i) =>
      toLogical(Float64Array.from(decode(bytes[i]!, dtype)), shape, type.layout)
    );
  }

  free(): void {
    for (const free of this.#bound) free();
    for (const buffer of this.#owned) this.#device.free(buffer);
  }

  async #add(node: Node, { pick, change }: GraphRunnerOptions): Promise<void> {
    if (leafAttrs({ node }) !== null) {
      this.#buffers.set(node, node.outputs.map((type, i) => this.#allocate(`${node.id}:${i}`, bytesOf(type))));
      this.#leaves.push(node);
      return;
    }
    if (node.op.isView?.(node.inputs.map((input) => input.type), node.attrs)) {
      this.#buffers.set(node, [this.#bufferOf(node.inputs[0]!)]);
      return;
    }
    const made = node.outputs.map((type, i) => this.#allocate(`${node.id}:${i}`, bytesOf(type)));
    this.#buffers.set(node, made);
    const candidates = candidatesOf(node, this.#traits);
    const plan = candidates[pick?.(node, candidates) ?? 0];
    if (plan === undefined) {
      throw new Error(`${node.id}: pick returned an index outside the candidates ${candidates.map((c) => c.name)}`);
    }
    const workspace = plan.workspace.map((size, i) => this.#allocate(`${node.id}:workspace${i}`, size));
    const resolve = (ref: BufferRef): GPUBuffer => {
      if ("input" in ref) return this.#bufferOf(node.inputs[ref.input]!);
      return "output" in ref ? made[ref.output]! : workspace[ref.workspace]!;
    };
    const kernels = plan.kernels.map((kernel) => change?.(kernel) ?? kernel);
    const { dispatches, free } = await bindPlan(this.#device, { ...plan, kernels }, resolve);
    this.#bound.push(free);
    this.#passes.push(...dispatches.map((dispatch) => ({ label: plan.name, dispatch })));
  }

  #bufferOf({ node, index }: Tensor): GPUBuffer {
    return this.#buffers.get(node)![index]!;
  }

  #allocate(label: string, size: number): GPUBuffer {
    const buffer = this.#device.buffer(label, size, USAGE);
    this.#owned.push(buffer);
    // Large finite numbers in either type, so that a kernel which leaves out elements is noticed
    this.#device.write(buffer, 0, new Uint8Array(buffer.size).fill(0x7b));
    return buffer;
  }

  #write(node: Node, leaves: LeafValues): void {
    const { shape, dtype, layout } = node.outputs[0]!;
    const values = leaves.get(node.id);
    if (values === undefined) throw new Error(`leaf ${node.id}: no value given`);
    if (values.length !== sizeOf(shape)) throw new Error(`leaf ${node.id}: ${values.length} values for ${shape}`);
    const physical = toPhysical(Float64Array.from(values), shape, layout);
    this.#device.write(this.#buffers.get(node)![0]!, 0, padded(encode(physical, dtype)));
  }
}

function bytesOf({ shape, dtype }: TensorType): number {
  return sizeOf(shape) * DTYPE_BYTES[dtype];
}

function ancestors(outputs: readonly Tensor[]): Set<Node> {
  const found = new Set<Node>();
  const visit = (node: Node) => {
    if (found.has(node)) return;
    found.add(node);
    for (const input of node.inputs) visit(input.node);
  };
  for (const tensor of outputs) visit(tensor.node);
  return found;
}

/** Returns the bytes padded to a multiple of 4, as uploads require. */
function padded(bytes: ArrayBuffer): Uint8Array {
  if (bytes.byteLength % 4 === 0) return new Uint8Array(bytes);
  const out = new Uint8Array(roundUp(bytes.byteLength, 4));
  out.set(new Uint8Array(bytes));
  return out;
}
