import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../core/errors.ts";
import { LARGEST, readFile } from "../core/files.ts";
import { isInstance } from "../core/is_instance.ts";
import { clipped, reasonOf } from "../core/shown.ts";
import type { ModelSource } from "./loaded_model.ts";

/**
 * Reads the file of a model.
 *
 * @throws {InputError} if there is no such file, or it cannot be read
 */
export function sourceOf(file: string | URL | Uint8Array): ModelSource {
  if (typeof file !== "string" && !isInstance(file, URL)) return { content: file, name: "model", path: null };
  const path = typeof file === "string" ? file : pathOf(file);
  try {
    return { content: readFile(path, LARGEST.model), name: basename(path), path };
  } catch (error) {
    if (isInstance(error, Deno.errors.NotFound)) {
      throw new InputError(`onnx: there is no file ${path}`, { cause: error });
    }
    throw new InputError(`onnx: cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function pathOf(url: URL): string {
  if (url.protocol === "file:") return fileURLToPath(url);
  throw new InputError(`onnx: expected a path or a file URL, got ${clipped(url.href)}; download the file first`);
}
