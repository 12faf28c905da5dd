/** A tensor to write. */
export interface NamedTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array<ArrayBufferLike> | Int32Array<ArrayBufferLike>;
}

/** Writes tensors in the safetensors format: the length of the header, the header as JSON, and the values. */
export async function writeSafetensors(file: string, tensors: ReadonlyMap<string, NamedTensor>): Promise<void> {
  const header: Record<string, unknown> = {};
  let end = 0;
  for (const [name, { shape, data }] of tensors) {
    const begin = end;
    end += data.byteLength;
    header[name] = { dtype: data instanceof Int32Array ? "I32" : "F32", shape, data_offsets: [begin, end] };
  }
  const text = JSON.stringify(header);
  const bytes = new TextEncoder().encode(text + " ".repeat(-text.length & 7)); // values are aligned to 8 bytes
  const out = await Deno.open(file, { write: true, create: true, truncate: true });
  const writer = out.writable.getWriter();
  await writer.write(new Uint8Array(BigUint64Array.of(BigInt(bytes.length)).buffer));
  await writer.write(bytes);
  for (const { data } of tensors.values()) {
    await writer.write(new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength));
  }
  await writer.close();
}
