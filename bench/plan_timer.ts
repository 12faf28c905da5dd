/**
 * Times one candidate of one node on the device, without the compiler and the engine.
 *
 * @module
 */
import { cpuUsage } from "node:process";
import { DTYPE_BYTES } from "../runtime/core/dtype.ts";
import { decode, encode } from "../runtime/core/f16.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { bindPlan } from "../runtime/device/bind.ts";
import type { Device } from "../runtime/device/device.ts";
import type { BufferRef, KernelPlan } from "../runtime/device/kernel.ts";
import { Stopwatch } from "../runtime/engine/stopwatch.ts";
import type { Node } from "../runtime/graph/op.ts";
import type { TensorType } from "../runtime/graph/types.ts";

const STORAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;

export interface Timing {
  /** Median device time of one run in ms. */
  readonly median: number;
  /**
   * Minimum processor time of one run over all threads, in ms. On a software adapter it is the kernels' alone,
   * regardless of other load.
   */
  readonly processor: number;
  /** Median wall time of one run in ms, from its encoding to the end of the wait for the device. */
  readonly wall: number;
  /** Processor time of the first run in ms, including compilation of the shaders. */
  readonly first: number;
  /** First output, in physical order. */
  readonly output: Float32Array;
}

/** Returns the candidates of a node on this device. */
export function candidatesOf(node: Node, device: Device): readonly KernelPlan[] {
  return node.op.candidates({
    attrs: node.attrs,
    inputs: node.inputs.map((input) => input.type),
    outputs: node.outputs,
    traits: device.traits,
    randomKey: 0,
  });
}

/** Runs `plan` on `inputs` (physical order) for `rounds` rounds of at least `minimum` ms each. */
export async function timePlan(
  device: Device,
  node: Node,
  plan: KernelPlan,
  inputs: readonly ArrayLike<number>[],
  { rounds = 5, minimum = 10 } = {},
): Promise<Timing> {
  const buffers: GPUBuffer[] = [];
  const make = (size: number) => {
    const buffer = device.buffer("bench", size, STORAGE);
    buffers.push(buffer);
    return buffer;
  };
  const ofType = (type: TensorType) => make(sizeOf(type.shape) * DTYPE_BYTES[type.dtype]);
  const sources = node.inputs.map((input, i) => {
    const buffer = ofType(input.type);
    const bytes = encode(inputs[i]!, input.dtype);
    device.write(buffer, 0, new Uint8Array(bytes, 0, bytes.byteLength & ~3));
    return buffer;
  });
  const outputs = node.outputs.map(ofType);
  const workspace = plan.workspace.map(make);
  const resolve = (ref: BufferRef) =>
    "input" in ref ? sources[ref.input]! : "output" in ref ? outputs[ref.output]! : workspace[ref.workspace]!;
  const kernels = await bindPlan(device, plan, resolve);
  const stopwatch = new Stopwatch(device);
  const run = async (repeats: number) => {
    stopwatch.run(kernels, { repeats });
    const [time] = await stopwatch.read();
    if (time == null) throw new Error(`${plan.name}: the device did not time a run`);
    return time;
  };
  const start = cpuUsage();
  await run(1);
  const compiled = cpuUsage(start);
  const first = (compiled.user + compiled.system) / 1000;
  const repeats = Math.max(1, Math.ceil(minimum / await run(1)));
  const times: number[] = [];
  const walls: number[] = [];
  let processor = Infinity;
  for (let i = 0; i < rounds; i++) {
    const before = cpuUsage();
    const begin = performance.now();
    times.push(await run(repeats));
    walls.push((performance.now() - begin) / repeats);
    const { user, system } = cpuUsage(before);
    processor = Math.min(processor, (user + system) / 1000 / repeats);
  }
  times.sort((a, b) => a - b);
  walls.sort((a, b) => a - b);
  const type = node.outputs[0]!;
  const size = sizeOf(type.shape) * DTYPE_BYTES[type.dtype];
  const [bytes] = await device.read([{ buffer: outputs[0]!, offset: 0, size }]);
  device.check();
  stopwatch.free();
  kernels.free();
  for (const buffer of buffers) device.free(buffer);
  const output = decode(bytes!, type.dtype) as Float32Array;
  return { median: times[rounds >> 1]!, processor, wall: walls[rounds >> 1]!, first, output };
}
