import type { Kernel } from "../kernel_table.ts";
import { native } from "../native.ts";
import type { Patches } from "../patch.ts";
import { UNKNOWN_KERNEL } from "../records.ts";
import type { Registry } from "../registry.ts";
import { createTag, type Tag } from "../tag.ts";
import type { TimedPass } from "../query_sets.ts";
import { takenBytes } from "../written_bytes.ts";
import type { Commands } from "./commands.ts";

/** Site of a pass whose time is not used. */
const EMPTY = -1;

/** A compute pass of the program. While timed, each of its dispatches has its own native pass. */
interface Pass {
  readonly commands: Commands;
  readonly encoder: GPUCommandEncoder;
  readonly label: string;
  /** The native pass that takes commands now; the program's own if it is not timed. */
  current: GPUComputePassEncoder;
  /** Queries of the current native pass; null while not timed. */
  slot: TimedPass | null;
  readonly timed: boolean;
  /** The program's own timestamps, if passes of ours write them. */
  readonly ownTimes: GPUComputePassTimestampWrites | null;
  /** After its end, all commands are errors of the program. */
  ended: boolean;
  pipeline: GPUComputePipeline | null;
  kernel: Kernel | null;
  /** Arguments of `setBindGroup`, by index. */
  readonly groups: Map<number, readonly unknown[]>;
  readonly debugGroups: string[];
  /** Calls of `setImmediates` by range, in the order of the latest of each. */
  readonly immediates: Map<string, (pass: GPUComputePassEncoder) => void>;
}

/** Buffers that a bind group binds. */
interface Bindings {
  /** Bytes of the bound ranges. */
  readonly bytes: number;
  /** Numbers of the buffers. */
  readonly buffers: readonly number[];
}

/** Times every dispatch of compute passes, by giving it its own native pass with the same state. */
export function patchComputePasses(
  patches: Patches,
  registry: Registry,
  { encoders, kernels }: { encoders: Tag<Commands>; kernels: Tag<Kernel> },
): void {
  const passes = createTag<Pass>();
  const bindings = createTag<Bindings>();
  const numbers = createTag<number>();
  let buffers = 0;
  const numberOf = (buffer: GPUBuffer) => {
    const known = numbers.get(buffer);
    if (known === undefined) numbers.set(buffer, buffers);
    return known ?? buffers++;
  };
  const { prototype } = GPUComputePassEncoder;

  patches.method(GPUDevice.prototype, "createBindGroup", (gpu, args, call) => {
    const device = registry.of(gpu);
    const start = device?.now() ?? 0;
    const group = call(gpu, args) as GPUBindGroup;
    device?.count("createMs", device.now() - start);
    device?.count("bindGroups");
    bindings.set(group, bindingsOf(args[0] as GPUBindGroupDescriptor, numberOf));
    return group;
  });

  patches.method(GPUCommandEncoder.prototype, "beginComputePass", (encoder, args, call) => {
    const commands = encoders.get(encoder);
    if (commands === undefined) return call(encoder, args);
    commands.computePasses++;
    const descriptor = (args[0] ?? {}) as GPUComputePassDescriptor;
    const slot = commands.device.slot(commands.between);
    const ownTimes = slot === null ? null : descriptor.timestampWrites ?? null;
    if (ownTimes !== null) writeOwnTime(encoder as GPUCommandEncoder, ownTimes, "beginningOfPassWriteIndex");
    const pass = call(encoder, slot === null ? args : [timedDescriptor(descriptor, slot)]) as GPUComputePassEncoder;
    if (slot !== null) use(commands, slot);
    passes.set(pass, {
      ...{ commands, encoder: encoder as GPUCommandEncoder, label: pass.label, current: pass },
      ...{
        slot,
        timed: slot !== null,
        ownTimes,
        ended: false,
        pipeline: null,
        kernel: null,
        groups: new Map(),
        debugGroups: [],
        immediates: new Map(),
      },
    });
    return pass;
  });

  const dispatch = (name: string, gridOf: (args: unknown[]) => [number, number, number] | null) =>
    patches.method(prototype, name, (object, args, call) => {
      const pass = passes.get(object);
      if (pass === undefined || pass.ended) return call(pass?.current ?? object, args);
      const { commands, kernel } = pass;
      commands.kernels.push(kernel);
      if (pass.timed && pass.slot !== null) {
        if (pass.slot.site !== EMPTY) split(pass);
        if (pass.slot !== null && pass.slot.site === EMPTY) {
          let bytes = 0;
          for (const [, group] of pass.groups.values()) {
            const bound = typeof group === "object" && group !== null ? bindings.get(group) : undefined;
            bytes += bound?.bytes ?? 0;
            for (const buffer of bound?.buffers ?? []) commands.bound.add(buffer);
          }
          pass.slot.site = commands.device.site({
            kernel: kernel?.index ?? UNKNOWN_KERNEL,
            ...{ grid: gridOf(args), bytes, line: commands.device.line(), pass: pass.label },
          });
        }
      } else commands.between++;
      return call(pass.current, args);
    });
  dispatch("dispatchWorkgroups", ([x, y = 1, z = 1]) => [Number(x), Number(y), Number(z)]);
  dispatch("dispatchWorkgroupsIndirect", () => null);

  patches.method(prototype, "setPipeline", (object, args, call) => {
    const pass = passes.get(object);
    if (pass === undefined) return call(object, args);
    const result = call(pass.current, args);
    const pipeline = args[0] as GPUComputePipeline;
    pass.pipeline = pipeline;
    pass.kernel = kernels.get(pipeline) ?? null;
    return result;
  });

  patches.method(prototype, "setBindGroup", (object, args, call) => {
    const pass = passes.get(object);
    if (pass === undefined) return call(object, args);
    const result = call(pass.current, args);
    if (pass.timed) pass.groups.set(Number(args[0]), withOwnOffsets(args));
    return result;
  });

  patches.method(prototype, "pushDebugGroup", (object, args, call) => {
    const pass = passes.get(object);
    const result = call(pass?.current ?? object, args);
    pass?.debugGroups.push(String(args[0]));
    return result;
  });

  patches.method(prototype, "popDebugGroup", (object, args, call) => {
    const pass = passes.get(object);
    const result = call(pass?.current ?? object, args);
    pass?.debugGroups.pop();
    return result;
  });

  // Methods without state; writeTimestamp is Chromium's, with chromium-experimental-timestamp-query-inside-passes
  for (const name of ["insertDebugMarker", "writeTimestamp"]) {
    patches.method(prototype, name, (object, args, call) => call(passes.get(object)?.current ?? object, args));
  }

  patches.method(prototype, "setImmediates", (object, args, call) => {
    const pass = passes.get(object);
    const result = call(pass?.current ?? object, args);
    if (pass?.timed) {
      const [at, ...data] = args as [number, ...Parameters<typeof takenBytes>];
      const bytes = takenBytes(...data).slice(); // the program may reuse its memory
      const range = `${at} ${bytes.length}`;
      pass.immediates.delete(range);
      pass.immediates.set(range, (current) => void call(current, [at, bytes]));
    }
    return result;
  });

  patches.method(prototype, "end", (object, args, call) => {
    const pass = passes.get(object);
    if (pass === undefined) return call(object, args);
    const result = call(pass.current, args);
    if (pass.ended) return result;
    pass.ended = true;
    if (pass.ownTimes !== null) writeOwnTime(pass.encoder, pass.ownTimes, "endOfPassWriteIndex");
    return result;
  });
}

/** Ends the current native pass, and begins another one with the same state. Without queries left, it stays as it is. */
function split(pass: Pass): void {
  const { commands, encoder, label, debugGroups } = pass;
  const slot = commands.device.slot(commands.between);
  if (slot === null) {
    // The current pass goes on, and its time is no dispatch's
    if (pass.slot !== null) pass.slot.site = EMPTY;
    pass.slot = null;
    return;
  }
  for (const _ of debugGroups) native.popDebugGroup.call(pass.current);
  native.end.call(pass.current);
  pass.current = native.beginComputePass.call(encoder, timedDescriptor({ label }, slot));
  pass.slot = slot;
  use(commands, slot);
  for (const group of debugGroups) native.pushDebugGroup.call(pass.current, group);
  if (pass.pipeline !== null) native.setPipeline.call(pass.current, pass.pipeline);
  for (const args of pass.groups.values()) Reflect.apply(native.setBindGroup, pass.current, args);
  for (const repeat of pass.immediates.values()) repeat(pass.current);
}

function use(commands: Commands, slot: TimedPass): void {
  commands.slots.push(slot);
  commands.between = 0;
}

function timedDescriptor(descriptor: GPUComputePassDescriptor, { queries, at }: TimedPass): GPUComputePassDescriptor {
  const timestampWrites = { querySet: queries.set, beginningOfPassWriteIndex: at, endOfPassWriteIndex: at + 1 };
  return { ...descriptor, timestampWrites };
}

/** Writes a timestamp of the program, in an empty pass. */
function writeOwnTime(
  encoder: GPUCommandEncoder,
  times: GPUComputePassTimestampWrites,
  index: "beginningOfPassWriteIndex" | "endOfPassWriteIndex",
): void {
  const at = times[index];
  if (at === undefined) return;
  const pass = native.beginComputePass.call(encoder, { timestampWrites: { querySet: times.querySet, [index]: at } });
  native.end.call(pass);
}

/** Copies dynamic offsets, since the program may reuse their memory. */
function withOwnOffsets(args: readonly unknown[]): readonly unknown[] {
  const [index, group, offsets, start, length] = args as [number, GPUBindGroup, Iterable<number>?, number?, number?];
  if (offsets === undefined) return args;
  const values = [...offsets];
  return [index, group, start === undefined ? values : values.slice(start, start + (length ?? 0))];
}

function bindingsOf({ entries }: GPUBindGroupDescriptor, numberOf: (buffer: GPUBuffer) => number): Bindings {
  let bytes = 0;
  const buffers: number[] = [];
  for (const { resource } of entries) {
    if (resource instanceof GPUBuffer) {
      bytes += resource.size;
      buffers.push(numberOf(resource));
    } else if ("buffer" in resource) {
      bytes += resource.size ?? resource.buffer.size - (resource.offset ?? 0);
      buffers.push(numberOf(resource.buffer));
    }
  }
  return { bytes, buffers };
}
