/** Returns the bytes of data without a copy. */
export function bytesIn(data: ArrayBufferView | ArrayBufferLike): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** Returns the part of data that a call takes. Offset and size count elements of typed arrays, else bytes. */
export function takenBytes(data: ArrayBufferView | ArrayBufferLike, offset = 0, size?: number): Uint8Array {
  const unit = "BYTES_PER_ELEMENT" in data ? Number(data.BYTES_PER_ELEMENT) : 1;
  return bytesIn(data).subarray(offset * unit, size === undefined ? undefined : (offset + size) * unit);
}
