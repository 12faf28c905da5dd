import type { DeviceRecorder } from "../device_recorder.ts";
import type { LiveBuffer } from "../memory_tracker.ts";
import { now } from "../native.ts";
import type { Patches } from "../patch.ts";
import { recordWait } from "../record_wait.ts";
import type { Registry } from "../registry.ts";
import { createTag } from "../tag.ts";
import { textureBytes } from "../texture_bytes.ts";

/** A buffer or texture of a recorded device. */
interface Known {
  readonly device: DeviceRecorder;
  readonly memory: LiveBuffer;
  /** `read` or `write` while it is mapped, from its first mapped range on. */
  mapped: "read" | "write" | null;
  mappedSince: number;
}

/** Records buffers, textures, mappings and waits for them. */
export function patchBuffers(patches: Patches, registry: Registry): void {
  const known = createTag<Known>();
  const collected = new FinalizationRegistry<Known>(({ device, memory }) => device.memory.collect(memory));
  const { prototype } = GPUBuffer;

  const add = (
    device: DeviceRecorder,
    object: GPUBuffer | GPUTexture,
    facts: { size: number; mappedAtCreation: boolean },
  ): Known => {
    const { label, usage } = object;
    const place = { line: device.line(), created: now(), cuts: device.cuts };
    const entry: Known = {
      ...{ device, memory: device.memory.create({ label, usage, ...facts, ...place }) },
      mapped: facts.mappedAtCreation ? "write" : null,
      mappedSince: 0,
    };
    known.set(object, entry);
    collected.register(object, entry);
    return entry;
  };

  patches.method(GPUDevice.prototype, "createBuffer", (gpu, args, call) => {
    const device = registry.of(gpu);
    if (device === undefined) return call(gpu, args);
    const start = now();
    const buffer = call(gpu, args) as GPUBuffer;
    device.count("createMs", now() - start);
    const { size } = buffer;
    const { mappedAtCreation = false } = args[0] as GPUBufferDescriptor;
    device.count("buffers");
    device.count("bufferBytes", size);
    add(device, buffer, { size, mappedAtCreation });
    return buffer;
  });

  patches.method(GPUDevice.prototype, "createTexture", (gpu, args, call) => {
    const device = registry.of(gpu);
    if (device === undefined) return call(gpu, args);
    const start = now();
    const texture = call(gpu, args) as GPUTexture;
    device.count("createMs", now() - start);
    device.count("textures");
    add(device, texture, { size: textureBytes(texture), mappedAtCreation: false });
    return texture;
  });

  const destroy = (object: object) => {
    const entry = known.get(object);
    if (entry === undefined || !entry.memory.live) return;
    entry.device.memory.destroy(entry.memory);
    if (object instanceof GPUBuffer) entry.device.count("buffersDestroyed");
  };
  for (const destroyed of [prototype, GPUTexture.prototype]) {
    patches.method(destroyed, "destroy", (object, args, call) => {
      const result = call(object, args);
      destroy(object);
      return result;
    });
  }

  patches.method(prototype, "mapAsync", (buffer, args, call) => {
    const entry = known.get(buffer);
    const device = entry?.device ?? registry.only;
    if (device === undefined) return call(buffer, args);
    const [mode, offset, size] = args as [GPUMapModeFlags, number?, number?];
    const start = now();
    const promise = call(buffer, args) as Promise<undefined>;
    if ((mode & GPUMapMode.READ) !== 0) {
      device.count("reads");
      device.count("readBytes", size ?? (buffer as GPUBuffer).size - (offset ?? 0));
    }
    return recordWait(device, start, promise).then((value) => {
      if (entry !== undefined) entry.mapped = (mode & GPUMapMode.READ) !== 0 ? "read" : "write";
      return value;
    });
  });

  patches.method(prototype, "getMappedRange", (buffer, args, call) => {
    const entry = known.get(buffer);
    if (entry === undefined || entry.mapped === null) return call(buffer, args);
    if (entry.mappedSince === 0) entry.mappedSince = now();
    const range = call(buffer, args) as ArrayBuffer;
    if (entry.mapped === "write") {
      entry.device.count("mappedUploads");
      entry.device.count("mappedUploadBytes", range.byteLength);
    }
    return range;
  });

  patches.method(prototype, "unmap", (buffer, args, call) => {
    const result = call(buffer, args);
    const entry = known.get(buffer);
    if (entry !== undefined && entry.mapped !== null) {
      const kind = entry.mapped === "read" ? "read" : "upload";
      if (entry.mappedSince > 0) entry.device.interval(kind, entry.mappedSince, now());
      entry.mapped = null;
      entry.mappedSince = 0;
    }
    return result;
  });
}
