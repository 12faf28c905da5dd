/** Array types of samples and batches. */
export type DataArray = Uint8Array | Float32Array | Int32Array | Uint32Array;

/** Tensors of a batch by field, in the memory order of the device. */
export type BatchTensors = Readonly<Record<string, DataArray>>;

/** Returns the array if its memory is shared already, else a copy in shared memory, which is not cloned for workers. */
export function toShared<T extends DataArray | Uint16Array>(array: T): T {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const copy = new (array.constructor as new (buffer: SharedArrayBuffer) => T)(
    new SharedArrayBuffer(array.byteLength),
  );
  copy.set(array);
  return copy;
}
