import type { DeviceRecorder } from "../device_recorder.ts";
import type { Kernel } from "../kernel_table.ts";
import type { Patches } from "../patch.ts";
import type { Registry } from "../registry.ts";
import type { RenderPass } from "../render_pass.ts";
import { createTag, type Tag } from "../tag.ts";
import { regionBytes } from "../texture_bytes.ts";
import type { TimedPass } from "../query_sets.ts";

/** Commands that an encoder has recorded. They count once submitted. */
export interface Commands {
  readonly device: DeviceRecorder;
  readonly slots: TimedPass[];
  /** Kernel of each dispatch; null where it is unknown. */
  readonly kernels: (Kernel | null)[];
  /** Copies and untimed passes since the last timed pass. */
  between: number;
  computePasses: number;
  readonly renderPasses: RenderPass[];
  copies: number;
  copyBytes: number;
  /** Numbers of the buffers that timed dispatches bind. */
  readonly bound: Set<number>;
}

/** Records encoders and copies. Returns the encoders, and the commands of command buffers. */
export function patchCommands(
  patches: Patches,
  registry: Registry,
): { encoders: Tag<Commands>; finished: Tag<Commands> } {
  const encoders = createTag<Commands>();
  const finished = createTag<Commands>();
  const { prototype } = GPUCommandEncoder;
  // Queries of an encoder that is never submitted are free again
  const collected = new FinalizationRegistry<readonly TimedPass[]>((slots) => {
    for (const slot of slots) slot.abandoned = true;
  });

  patches.method(GPUDevice.prototype, "createCommandEncoder", (gpu, args, call) => {
    const device = registry.of(gpu);
    if (device === undefined) return call(gpu, args);
    const start = device.now();
    const encoder = call(gpu, args) as GPUCommandEncoder;
    device.encoding(start, start);
    device.count("encoders");
    const slots: TimedPass[] = [];
    const counts = { between: 0, computePasses: 0, copies: 0, copyBytes: 0 };
    encoders.set(encoder, { device, slots, kernels: [], renderPasses: [], ...counts, bound: new Set() });
    return encoder;
  });

  const copies = (name: string, bytes: (args: readonly unknown[]) => number) =>
    patches.method(prototype, name, (encoder, args, call) => {
      const result = call(encoder, args);
      const commands = encoders.get(encoder);
      if (commands !== undefined) {
        commands.between++;
        commands.copies++;
        commands.copyBytes += bytes(args);
      }
      return result;
    });
  copies("copyBufferToBuffer", (args) => {
    const [source, second, , , last] = args as [GPUBuffer, number | GPUBuffer, unknown, unknown, number?];
    if (typeof second === "object") return (args[2] as number | undefined) ?? source.size;
    return last ?? source.size - second;
  });
  copies("clearBuffer", (args) => (args[2] as number | undefined) ?? (args[0] as GPUBuffer).size);
  const region = (args: readonly unknown[], at: 0 | 1) =>
    regionBytes((args[at] as GPUTexelCopyTextureInfo).texture, args[2] as GPUExtent3D);
  copies("copyBufferToTexture", (args) => region(args, 1));
  copies("copyTextureToBuffer", (args) => region(args, 0));
  copies("copyTextureToTexture", (args) => region(args, 0));

  patches.method(prototype, "finish", (encoder, args, call) => {
    const buffer = call(encoder, args) as GPUCommandBuffer;
    const commands = encoders.get(encoder);
    if (commands !== undefined) {
      const end = commands.device.now();
      commands.device.encoding(end, end);
      finished.set(buffer, commands);
      collected.register(buffer, commands.slots);
    }
    return buffer;
  });
  return { encoders, finished };
}
