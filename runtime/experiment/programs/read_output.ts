import { resolve } from "node:path";
import { LARGEST, readFile } from "../../core/files.ts";
import { InputError } from "../../core/errors.ts";
import { readNpy, readNpyHeader } from "../../data/npy_file.ts";

/**
 * Reads what a command has written: an array of NumPy, JSON, text, or bytes.
 *
 * @throws {InputError} if the file is missing or damaged
 */
export function readOutput(file: string, cwd: string | null): unknown {
  const path = cwd === null ? file : resolve(cwd, file);
  if (path.endsWith(".npy")) {
    const header = readNpyHeader({ file: path, name: null });
    return { shape: header.shape, data: readNpy(header, "f32") };
  }
  const bytes = readFile(path, LARGEST.text);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return path.endsWith(".json") ? JSON.parse(text) : text;
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new InputError(`${file}: is no JSON: ${cause.message}`, { cause });
    return bytes;
  }
}
