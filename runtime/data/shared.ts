/** The arrays that samples are kept in. */
export type DataArray = Uint8Array | Float32Array | Int32Array | Uint32Array;

/** Tensors of a batch by field, in the order that the device wants them. */
export type BatchTensors = Readonly<Record<string, DataArray>>;

/** The array itself where its memory is shared already, else a copy in shared memory, which workers need not clone. */
export function toShared<T extends DataArray>(array: T): T {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const copy = new (array.constructor as new (buffer: SharedArrayBuffer) => T)(
    new SharedArrayBuffer(array.byteLength),
  );
  copy.set(array);
  return copy;
}
