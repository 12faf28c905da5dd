/**
 * Runs a graph on the device node by node, with a separate buffer per tensor, so that ops are tested without the
 * compiler and the engine.
 *
 * @module
 */
import { decode, encode } from "../../runtime/core/f16.ts";
import { DTYPE_BYTES } from "../../runtime/core/dtype.ts";
import { toLogical, toPhysical } from "../../runtime/core/layout.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { roundUp } from "../../runtime/core/round_up.ts";
import { bindPlan, encodePass } from "../../runtime/device/bind.ts";
import { Device } from "../../runtime/device/device.ts";
import type { BufferRef, KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { leafAttrs } from "../../runtime/graph/leaf.ts";
import type { Node, Tensor } from "../../runtime/graph/op.ts";

const USAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;

let opened: Promise<Device> | undefined;

/** Returns the device that all tests of a process share. */
export function testDevice(): Promise<Device> {
  return opened ??= Device.open();
}

/** Returns the candidates of the node that computes a tensor. */
export function candidatesOf({ node }: Tensor, traits: DeviceTraits): readonly KernelPlan[] {
  const inputs = node.inputs.map((input) => input.type);
  return node.op.candidates({ attrs: node.attrs, inputs, outputs: node.outputs, traits, randomKey: 0 });
}

export interface EvaluateOptions {
  /** Chooses the candidate that computes a node; the first by default. */
  readonly pick?: (node: Node, candidates: readonly KernelPlan[]) => number;
  /** Overrides of the adapter's traits, such as its class. */
  readonly traits?: Partial<DeviceTraits>;
  /** Changes a kernel before it runs. */
  readonly change?: (kernel: KernelSpec) => KernelSpec;
  readonly seed?: number;
  readonly step?: number;
}

/**
 * Computes `outputs` from the values of leaves by name, which are logical and row-major, as are the results. A leaf
 * that an op mutates may be an output and then has the written values.
 */
export async function evaluate(
  outputs: readonly Tensor[],
  leaves: ReadonlyMap<string, ArrayLike<number>>,
  options: EvaluateOptions = {},
): Promise<Float64Array[]> {
  const device = await testDevice();
  const traits = { ...device.traits, ...options.traits };
  const graph = outputs[0]!.graph;
  const buffers = new Map<Node, GPUBuffer[]>();
  const owned: GPUBuffer[] = [];
  const bound: (() => void)[] = [];
  const make = (label: string, size: number) => {
    const buffer = device.buffer(label, size, USAGE);
    owned.push(buffer);
    // Initial contents of the buffers: large finite numbers in either type
    device.write(buffer, 0, new Uint8Array(buffer.size).fill(0x7b));
    return buffer;
  };
  const bytesOf = (tensor: { type: Tensor["type"] }) => sizeOf(tensor.type.shape) * DTYPE_BYTES[tensor.type.dtype];
  const needed = ancestors(outputs);
  const encoder = device.gpu.createCommandEncoder();
  for (const node of graph.nodes.filter((node) => needed.has(node))) {
    const made = node.outputs.map((type, i) => make(`${node.id}:${i}`, bytesOf({ type })));
    const attrs = leafAttrs({ node } as Tensor);
    if (attrs !== null) {
      const values = leafValues(attrs.kind, node.id, leaves, options);
      if (values.length !== sizeOf(attrs.type.shape)) {
        throw new Error(`leaf ${node.id}: ${values.length} values for ${attrs.type.shape}`);
      }
      const physical = toPhysical(Float64Array.from(values), attrs.type.shape, attrs.type.layout);
      device.write(made[0]!, 0, padded(encode(physical, attrs.type.dtype)));
      buffers.set(node, made);
      continue;
    }
    const inputTypes = node.inputs.map((input) => input.type);
    if (node.op.isView?.(inputTypes, node.attrs)) {
      buffers.set(node, [buffers.get(node.inputs[0]!.node)![node.inputs[0]!.index]!]);
      continue;
    }
    buffers.set(node, made);
    const candidates = node.op.candidates({
      attrs: node.attrs,
      inputs: inputTypes,
      outputs: node.outputs,
      traits,
      randomKey: node.randomKey,
    });
    const plan = candidates[options.pick?.(node, candidates) ?? 0];
    if (plan === undefined) {
      throw new Error(`${node.id}: pick returned an index outside the candidates ${candidates.map((c) => c.name)}`);
    }
    const workspace = plan.workspace.map((size, i) => make(`${node.id}:workspace${i}`, size));
    const resolve = (ref: BufferRef): GPUBuffer => {
      if ("input" in ref) {
        const input = node.inputs[ref.input]!;
        return buffers.get(input.node)![input.index]!;
      }
      return "output" in ref ? made[ref.output]! : workspace[ref.workspace]!;
    };
    const kernels = plan.kernels.map((kernel) => options.change?.(kernel) ?? kernel);
    const { dispatches, free } = await bindPlan(device, { ...plan, kernels }, resolve);
    bound.push(free);
    for (const dispatch of dispatches) encodePass(encoder, plan.name, [dispatch]);
  }
  device.submit(encoder);
  const bytes = await device.read(
    outputs.map((tensor) => ({ buffer: buffers.get(tensor.node)![tensor.index]!, offset: 0, size: bytesOf(tensor) })),
  );
  await device.settle();
  for (const free of bound) free();
  for (const buffer of owned) device.free(buffer);
  return outputs.map((tensor, i) =>
    toLogical(Float64Array.from(decode(bytes[i]!, tensor.dtype)), tensor.shape, tensor.type.layout)
  );
}

function leafValues(
  kind: string,
  id: string,
  leaves: ReadonlyMap<string, ArrayLike<number>>,
  options: EvaluateOptions,
): ArrayLike<number> {
  const given = leaves.get(id);
  if (given !== undefined) return given;
  if (kind === "stepState") return [options.seed ?? 1, options.step ?? 0, 0, 0];
  if (kind === "lossScale") return [1];
  throw new Error(`leaf ${id}: no value given`);
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
