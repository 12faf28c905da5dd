import type { Patches } from "../patch.ts";
import { recordWait } from "../record_wait.ts";
import type { Registry } from "../registry.ts";
import type { Tag } from "../tag.ts";
import { regionBytes } from "../texture_bytes.ts";
import { bytesIn, takenBytes } from "../written_bytes.ts";
import type { Commands } from "./commands.ts";

/** Records submits, uploads and waits. */
export function patchQueue(patches: Patches, registry: Registry, submitted: Tag<Commands>): void {
  const { prototype } = GPUQueue;

  patches.method(prototype, "submit", (queue, args, call) => {
    const device = registry.of(queue);
    const list = args[0] as Iterable<GPUCommandBuffer> | undefined;
    if (device === undefined || typeof list?.[Symbol.iterator] !== "function") return call(queue, args);
    const buffers = [...list];
    // An iterator has been read now; any other list is the program's own, since some runtimes take arrays only
    const unread = Object.is(list[Symbol.iterator](), list) ? [buffers] : args;
    const start = device.now();
    const result = call(queue, unread);
    device.submitted(buffers.flatMap((buffer) => submitted.get(buffer) ?? []), start, device.now());
    return result;
  });

  patches.method(prototype, "writeBuffer", (queue, args, call) => {
    const device = registry.of(queue);
    if (device === undefined) return call(queue, args);
    const start = device.now();
    const result = call(queue, args);
    const [buffer, offset, ...written] = args as [GPUBuffer, number, ...Parameters<typeof takenBytes>];
    const bytes = takenBytes(...written);
    device.upload(bytes.byteLength, start, device.now());
    device.uploaded(bytes);
    device.realm.tap?.write({ buffer, offset, bytes });
    return result;
  });

  patches.method(prototype, "writeTexture", (queue, args, call) => {
    const device = registry.of(queue);
    if (device === undefined) return call(queue, args);
    const start = device.now();
    const result = call(queue, args);
    const [texture, data, layout, size] = args as [
      GPUTexelCopyTextureInfo,
      ArrayBufferView | ArrayBuffer,
      GPUTexelCopyBufferLayout,
      GPUExtent3D,
    ];
    device.upload(data.byteLength, start, device.now());
    device.realm.tap?.write({ texture, layout, size, bytes: bytesIn(data) });
    return result;
  });

  patches.method(prototype, "copyExternalImageToTexture", (queue, args, call) => {
    const device = registry.of(queue);
    if (device === undefined) return call(queue, args);
    const start = device.now();
    const result = call(queue, args);
    const [, { texture }, size] = args as [unknown, GPUTexelCopyTextureInfo, GPUExtent3D];
    device.upload(regionBytes(texture, size), start, device.now());
    return result;
  });

  patches.method(prototype, "onSubmittedWorkDone", (queue, args, call) => {
    const device = registry.of(queue);
    if (device === undefined) return call(queue, args);
    return recordWait(device, () => call(queue, args) as Promise<undefined>);
  });
}
