/**
 * Reads tensors from safetensors files, and from the index of several.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { openFile, readText } from "../../core/files.ts";
import { sameShape, sizeOf } from "../../core/shape.ts";
import { clipped, reasonOf } from "../../core/shown.ts";
import { parseJson } from "../../core/strangers_json.ts";
import { MAX_HEADER_BYTES, parseHeader, type StoredTensor } from "./header.ts";

/** Kinds of files that people take for weights, by their first bytes, with what to do about each. */
const OTHER_FORMATS: readonly (readonly [start: string, what: string])[] = [
  ["PK\x03\x04", "it is a zip archive, such as a checkpoint of torch.save; write it with safetensors.torch.save_file"],
  ["\x80\x02", "it is a pickle, such as an old checkpoint of torch.save; write it with safetensors.torch.save_file"],
  ["version https://git-lfs", "it is a pointer of Git LFS; fetch the file with git lfs pull"],
  ["<!DOCTYPE", "it is a web page; download the file itself"],
  ["<html", "it is a web page; download the file itself"],
  ["\x89HDF\r\n", "it is an HDF5 file; convert the weights to safetensors"],
  ["GGUF", "it is a GGUF file; convert the weights to safetensors"],
  ["\x93NUMPY", "it is a .npy file; convert the weights to safetensors"],
];

/** Number of bytes that {@linkcode otherFormat} looks at. */
const FORMAT_BYTES = 32;

/** Types of the format that weights may have. */
export const FLOAT_TYPES: readonly string[] = ["F32", "F16", "BF16"];

/** Bytes that are read at once. */
const CHUNK_BYTES = 1 << 22;
/** Maximum size of an index in bytes. */
const MAX_INDEX_BYTES = MAX_HEADER_BYTES;

const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** An open file, or several that an index names. Memory is bounded by the headers and the tensor that is read. */
export class WeightFile implements Disposable {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly #parts: ReadonlyMap<string, Part>;

  readonly path: string;

  private constructor(path: string, parts: ReadonlyMap<string, Part>) {
    this.path = path;
    this.#parts = parts;
    this.tensors = new Map([...parts].map(([name, part]) => [name, part.tensors.get(name)!]));
  }

  /**
   * Opens a safetensors file, or all files that an index (`.json`) names.
   *
   * @throws {InputError} if a file cannot be read or is damaged
   */
  static open(path: string): WeightFile {
    if (path.endsWith(".json")) return new WeightFile(path, openIndex(path));
    const part = new Part(path);
    return new WeightFile(path, new Map([...part.tensors.keys()].map((name) => [name, part])));
  }

  /**
   * Reads a tensor of a float type as f32, in row-major order.
   *
   * @throws {InputError} if the file cannot be read
   */
  read(name: string): Float32Array<ArrayBuffer> {
    return this.#parts.get(name)!.read(name);
  }

  /**
   * Reads a tensor of 32-bit integers.
   *
   * @throws {InputError} if the file cannot be read
   */
  readWords(name: string): Int32Array<ArrayBuffer> {
    const part = this.#parts.get(name)!;
    const words = new Int32Array(sizeOf(this.tensors.get(name)!.shape));
    for (let at = 0; at < words.byteLength; at += CHUNK_BYTES) {
      new Uint8Array(words.buffer).set(part.chunk(name, at), at);
    }
    return words;
  }

  /**
   * Returns true if two tensors have the same type, shape and bytes, and more than one distinct value.
   *
   * @throws {InputError} if a file cannot be read
   */
  isDuplicate(name: string, other: string): boolean {
    const [a, b] = [this.tensors.get(name)!, this.tensors.get(other)!];
    if (a.dtype !== b.dtype || !sameShape(a.shape, b.shape)) return false;
    const bytes = a.dtype === "F32" ? 4 : 2;
    let first: Uint8Array | null = null;
    let varied = false;
    for (let at = 0; at < a.end - a.begin; at += CHUNK_BYTES) {
      const [left, right] = [this.#parts.get(name)!.chunk(name, at), this.#parts.get(other)!.chunk(other, at)];
      first ??= left.slice(0, bytes);
      for (let i = 0; i < left.length; i++) {
        if (left[i] !== right[i]) return false;
        varied ||= left[i] !== first[i % bytes];
      }
    }
    return varied;
  }

  [Symbol.dispose](): void {
    for (const part of new Set(this.#parts.values())) part.close();
  }
}

/** Opens the files of an index and returns the one of each tensor. */
function openIndex(path: string): Map<string, Part> {
  const text = failing(path, () => readText(path, MAX_INDEX_BYTES));
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    throw damaged(path, "it is not JSON");
  }
  const index = indexSchema.safeParse(json);
  if (!index.success) throw damaged(path, 'expected an index of safetensors files with a "weight_map"');
  const opened = new Map<string, Part>();
  try {
    return new Map(
      Object.entries(index.data.weight_map).map(([name, file]) => {
        if (/[/\\]/.test(file) || !file.endsWith(".safetensors")) {
          throw damaged(path, `"${clipped(file)}" is not a safetensors file in its folder`);
        }
        const part = opened.get(file) ?? new Part(join(dirname(path), file));
        opened.set(file, part);
        if (!part.tensors.has(name)) throw damaged(path, `"${clipped(name)}" is not in ${file}`);
        return [name, part];
      }),
    );
  } catch (error) {
    for (const part of opened.values()) part.close();
    throw error;
  }
}

/** One open safetensors file. */
class Part {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly #path: string;
  readonly #file: Deno.FsFile;
  readonly #data: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = failing(path, () => openFile(path));
    try {
      const { size } = failing(path, () => this.#file.statSync());
      if (size < 8) throw damaged(path, `it has ${size} bytes; expected at least 8`);
      const length = new DataView(this.#bytes(0, 8).buffer).getBigUint64(0, true);
      if (length > BigInt(MAX_HEADER_BYTES)) {
        const other = otherFormat(this.#bytes(0, Math.min(size, FORMAT_BYTES)));
        if (other !== null) throw damaged(path, other);
        throw damaged(path, `its header has ${length} bytes; expected at most ${MAX_HEADER_BYTES}`);
      }
      this.#data = 8 + Number(length);
      if (this.#data > size) {
        throw damaged(path, `it is truncated: its header has ${length} bytes, but only ${size - 8} follow`);
      }
      let text: string;
      try {
        text = new TextDecoder("utf-8", { fatal: true }).decode(this.#bytes(8, Number(length)));
      } catch (error) {
        if (error instanceof InputError) throw error;
        throw damaged(path, "its header is not UTF-8");
      }
      this.tensors = parseHeader(text, size - this.#data, (message) => damaged(path, message));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  read(name: string): Float32Array<ArrayBuffer> {
    const { dtype, shape, begin, end } = this.tensors.get(name)!;
    const values = new Float32Array(sizeOf(shape));
    if (dtype === "F32") {
      this.#fill(new Uint8Array(values.buffer), this.#data + begin);
      return values;
    }
    for (let at = begin; at < end; at += CHUNK_BYTES) {
      const bytes = this.#bytes(this.#data + at, Math.min(CHUNK_BYTES, end - at));
      const first = (at - begin) / 2;
      if (dtype === "F16") values.set(new Float16Array(bytes.buffer), first);
      else widenBfloat16(new Uint16Array(bytes.buffer), values.subarray(first));
    }
    return values;
  }

  /** Returns up to {@linkcode CHUNK_BYTES} of a tensor's bytes from `offset` on. */
  chunk(name: string, offset: number): Uint8Array {
    const { begin, end } = this.tensors.get(name)!;
    return this.#bytes(this.#data + begin + offset, Math.min(CHUNK_BYTES, end - begin - offset));
  }

  close(): void {
    this.#file.close();
  }

  #bytes(offset: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    this.#fill(bytes, offset);
    return bytes;
  }

  #fill(bytes: Uint8Array, offset: number): void {
    failing(this.#path, () => this.#file.seekSync(offset, Deno.SeekMode.Start));
    for (let done = 0; done < bytes.length;) {
      const part = bytes.subarray(done, done + CHUNK_BYTES);
      const count = failing(this.#path, () => this.#file.readSync(part));
      if (count === null) throw damaged(this.#path, "it became shorter while it was read");
      done += count;
    }
  }
}

/** A bfloat16 is the upper half of an f32. */
function widenBfloat16(halves: Uint16Array, values: Float32Array<ArrayBuffer>): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, halves.length);
  halves.forEach((half, i) => words[i] = half << 16);
}

function failing<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new InputError(`The weights ${path} do not exist; expected a safetensors file`, { cause: error });
    }
    throw new InputError(`Cannot read the weights ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function damaged(path: string, message: string): InputError {
  return new InputError(`The weights ${path} are damaged or no safetensors file: ${message}`);
}

/** Returns what a file is that begins with these bytes and is no safetensors file; null if unknown. */
function otherFormat(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes).toLowerCase();
  return OTHER_FORMATS.find(([known]) => start.startsWith(known.toLowerCase()))?.[1] ?? null;
}
