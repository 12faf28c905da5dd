import { dirname } from "node:path";
import { InputError } from "../../core/errors.ts";
import { openToWrite, writeAll } from "../../core/files.ts";
import type { Shape } from "../../core/shape.ts";
import { reasonOf } from "../../core/shown.ts";

/** A tensor to write, in row-major order. */
export interface WrittenTensor {
  readonly shape: Shape;
  readonly data: Float32Array | Int32Array;
}

/**
 * Writes tensors to a safetensors file, which replaces an existing one when it is complete. Creates its folder. The
 * metadata say that shapes and orientations are PyTorch's, which Hugging Face's loaders ask for.
 *
 * @throws {InputError} if the file cannot be written
 */
export async function writeSafetensors(file: string, tensors: ReadonlyMap<string, WrittenTensor>): Promise<void> {
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  let end = 0;
  for (const [name, { shape, data }] of tensors) {
    const begin = end;
    end += data.byteLength;
    header[name] = { dtype: data instanceof Int32Array ? "I32" : "F32", shape, data_offsets: [begin, end] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const padded = new Uint8Array(text.length + (-text.length & 7)).fill(32); // values are aligned to 8 bytes
  padded.set(text);
  const part = `${file}.${Deno.pid}.part`;
  try {
    await Deno.mkdir(dirname(file), { recursive: true });
    {
      using out = openToWrite(part);
      writeAll(out, new Uint8Array(BigUint64Array.of(BigInt(padded.length)).buffer));
      writeAll(out, padded);
      for (const { data } of tensors.values()) {
        writeAll(out, new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength));
      }
    }
    await Deno.rename(part, file);
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    throw new InputError(`Cannot write the weights ${file}: ${reasonOf(error)}`, { cause: error });
  }
}
