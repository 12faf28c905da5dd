import type { Patches } from "../patch.ts";
import { recordWait } from "../record_wait.ts";
import type { Registry } from "../registry.ts";
import type { Tag } from "../tag.ts";
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
    const bytes = writtenBytes(args);
    device.upload(bytes.byteLength, start, device.now());
    const [buffer, offset] = args as [GPUBuffer, number];
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

  patches.method(prototype, "onSubmittedWorkDone", (queue, args, call) => {
    const device = registry.of(queue);
    if (device === undefined) return call(queue, args);
    const start = device.now();
    return recordWait(device, start, call(queue, args) as Promise<undefined>);
  });
}

/** Returns the bytes that a call to `writeBuffer` copies. Offset and size count elements of typed arrays, else bytes. */
function writtenBytes(args: readonly unknown[]): Uint8Array {
  const [, , data, offset = 0, size] = args as [unknown, unknown, ArrayBufferView | ArrayBuffer, number?, number?];
  const unit = "BYTES_PER_ELEMENT" in data ? Number(data.BYTES_PER_ELEMENT) : 1;
  return bytesIn(data).subarray(offset * unit, size === undefined ? undefined : (offset + size) * unit);
}

/** Returns the bytes of data without a copy. */
function bytesIn(data: ArrayBufferView | ArrayBufferLike): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
