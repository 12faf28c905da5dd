import { dirname, join, normalize, sep } from "node:path";
import { InputError } from "../core/errors.ts";
import { fill, inspectFile, openFile } from "../core/files.ts";
import { isInstance } from "../core/is_instance.ts";
import { sizeOf } from "../core/shape.ts";
import { clipped, reasonOf } from "../core/shown.ts";
import { elementType } from "./format/element_types.ts";
import type { ExternalData, StoredTensor } from "./format/tensor.ts";

/** Bytes of a tensor in a file beside the model. */
interface Place {
  /** Path of the file without links. */
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Reads elements of tensors that lie in files beside the model, as exporters write them for models above 2 GB. */
export class ExternalFiles {
  readonly #model: string | null;
  /** Paths by location. */
  readonly #paths = new Map<string, string>();

  /** @param path file of the model; null for a model from memory */
  constructor(path: string | null) {
    this.#model = path;
  }

  /**
   * Returns the paths of the files with the elements of tensors, each once.
   *
   * @throws {InputError} if one is not in the model's folder
   */
  pathsOf(tensors: readonly StoredTensor[]): string[] {
    const paths = tensors.flatMap(({ name, external }) => external === null ? [] : [this.#pathOf(external, name)]);
    return [...new Set(paths)];
  }

  /** @throws {InputError} as {@linkcode ExternalFiles.read} does */
  check({ name, external, shape, type }: StoredTensor): void {
    if (external === null) return;
    const { width } = elementType(type, `the tensor "${clipped(name)}"`);
    this.#place({ ...external, length: sizeOf(shape) * width }, name);
  }

  /** @throws {InputError} if the file is not in the model's folder, cannot be read or is too short */
  read(external: ExternalData, tensor: string): Uint8Array {
    const { file, offset, bytes } = this.#place(external, tensor);
    return reading(placeOf(tensor, external.location), () => {
      using opened = openFile(file);
      opened.seekSync(offset, Deno.SeekMode.Start);
      const content = new Uint8Array(bytes);
      if (fill(opened, content) < bytes) throw new Error("the file became shorter");
      return content;
    });
  }

  #place(external: ExternalData, tensor: string): Place {
    const { offset, length } = external;
    const path = this.#pathOf(external, tensor);
    const what = placeOf(tensor, external.location);
    return reading(what, () => {
      const file = Deno.realPathSync(path);
      const { size } = inspectFile(file);
      const bytes = length ?? size - offset;
      if (bytes >= 0 && offset + bytes <= size) return { file, offset, bytes };
      throw new InputError(
        `${what} at bytes ${offset} to ${offset + bytes}, which has ${size} bytes; is it complete?`,
      );
    });
  }

  /** Returns the path of a file beside the model, or beside the file that a link to the model leads to. */
  #pathOf({ location }: ExternalData, tensor: string): string {
    const what = placeOf(tensor, location);
    if (this.#model === null) {
      throw new InputError(`${what}, but the model is given as bytes; give the path of its file instead`);
    }
    const known = this.#paths.get(location);
    if (known !== undefined) return known;
    const path = pathBeside(this.#model, normalize(location.replaceAll("\\", "/")));
    if (path === null) throw new InputError(`${what}; expected a file in the folder of the model`);
    this.#paths.set(location, path);
    return path;
  }
}

/** Returns the path of a file in a model's folder, whether there is one or not; null if it leads out of the folder. */
function pathBeside(model: string, inside: string): string | null {
  if (inside === "." || /^(\.\.(\/|$)|\/|[a-z]:)/i.test(inside)) return null;
  const folders = [dirname(model), dirname(realPath(model) ?? model)];
  const folder = folders.find((each) => realPath(join(each, inside)) !== null);
  if (folder === undefined) return join(folders[0]!, inside);
  const path = join(folder, inside);
  return isBeside(realPath(path)!, realPath(folder)!) ? path : null;
}

/**
 * Returns true for a file in a folder, or in the one that links of a Hugging Face cache lead to: those in
 * `REPOSITORY/snapshots/REVISION` lead to `REPOSITORY/blobs`. Paths are without links.
 */
function isBeside(file: string, folder: string): boolean {
  if (file.startsWith(join(folder, sep))) return true;
  const parts = folder.split(sep);
  const blobs = parts.flatMap((part, i) => part === "snapshots" && i < parts.length - 1 ? [parts.slice(0, i)] : [])
    .map((repository) => [...repository, "blobs"].join(sep));
  return blobs.includes(dirname(file));
}

/** Returns the path without links of a file; null if there is none. */
function realPath(path: string): string | null {
  try {
    return Deno.realPathSync(path);
  } catch {
    return null;
  }
}

/** Returns the size of a file in bytes; 0 if there is none. */
export function sizeOfFile(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}

function placeOf(tensor: string, location: string): string {
  return `the tensor "${clipped(tensor)}" is in the file "${clipped(location)}"`;
}

/** Runs an action, whose errors get the place of the tensor in front. */
function reading<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (isInstance(error, InputError) && error.message.startsWith(what)) throw error;
    throw new InputError(`${what}, which cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
