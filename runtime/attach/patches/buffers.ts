import type { DeviceRecorder } from "../device_recorder.ts";
import type { LiveBuffer } from "../memory_tracker.ts";
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
  /** Ranges that were mapped for writing, for a tap. */
  readonly ranges: { readonly offset: number; readonly range: ArrayBuffer }[];
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
    const place = { line: device.line(), created: device.now(), cuts: device.cuts };
    const entry: Known = {
      ...{ device, memory: device.memory.create({ label, usage, ...facts, ...place }) },
      mapped: facts.mappedAtCreation ? "write" : null,
      mappedSince: 0,
      ranges: [],
    };
    known.set(object, entry);
    collected.register(object, entry);
    device.realm.tap?.create(object);
    return entry;
  };

  patches.method(GPUDevice.prototype, "createBuffer", (gpu, args, call) => {
    const device = registry.of(gpu);
    if (device === undefined) return call(gpu, args);
    const start = device.now();
    const buffer = call(gpu, args) as GPUBuffer;
    device.count("createMs", device.now() - start);
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
    const start = device.now();
    const texture = call(gpu, args) as GPUTexture;
    device.count("createMs", device.now() - start);
    device.count("textures");
    add(device, texture, { size: textureBytes(texture), mappedAtCreation: false });
    return texture;
  });

  // Its memory is the video's
  patches.method(GPUDevice.prototype, "importExternalTexture", (gpu, args, call) => {
    const device = registry.of(gpu);
    const start = device?.now() ?? 0;
    const texture = call(gpu, args);
    device?.count("createMs", device.now() - start);
    device?.count("textures");
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
    const wait = () => {
      const promise = call(buffer, args) as Promise<undefined>;
      if ((mode & GPUMapMode.READ) !== 0) {
        device.count("reads");
        device.count("readBytes", size ?? (buffer as GPUBuffer).size - (offset ?? 0));
      }
      return promise;
    };
    return recordWait(device, wait).then((value) => {
      if (entry !== undefined) entry.mapped = (mode & GPUMapMode.READ) !== 0 ? "read" : "write";
      return value;
    });
  });

  patches.method(prototype, "getMappedRange", (buffer, args, call) => {
    const entry = known.get(buffer);
    if (entry === undefined || entry.mapped === null) return call(buffer, args);
    if (entry.mappedSince === 0) entry.mappedSince = entry.device.now();
    const range = call(buffer, args) as ArrayBuffer;
    const offset = (args[0] as number | undefined) ?? 0;
    const { tap } = entry.device.realm;
    if (entry.mapped === "read") entry.device.readBack(new Uint8Array(range));
    if (entry.mapped === "read") tap?.read(buffer as GPUBuffer, offset, new Uint8Array(range));
    else if (tap !== undefined) entry.ranges.push({ offset, range });
    if (entry.mapped === "write") {
      entry.device.count("mappedUploads");
      entry.device.count("mappedUploadBytes", range.byteLength);
    }
    return range;
  });

  patches.method(prototype, "unmap", (buffer, args, call) => {
    const entry = known.get(buffer);
    for (const { offset, range } of entry?.ranges.splice(0) ?? []) {
      entry?.device.realm.tap?.write({ buffer: buffer as GPUBuffer, offset, bytes: new Uint8Array(range) });
    }
    const result = call(buffer, args);
    if (entry !== undefined && entry.mapped !== null) {
      const kind = entry.mapped === "read" ? "read" : "upload";
      if (entry.mappedSince > 0) entry.device.interval(kind, entry.mappedSince, entry.device.now());
      entry.mapped = null;
      entry.mappedSince = 0;
    }
    return result;
  });
}
