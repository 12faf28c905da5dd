import { dirname, join, normalize } from "node:path";
import { InputError } from "../core/errors.ts";
import { fill, openFile } from "../core/files.ts";
import { clipped, reasonOf } from "../core/shown.ts";
import type { ExternalData, StoredTensor } from "./format/tensor.ts";

/**
 * Reads elements of tensors that lie in files beside the model, as exporters write them for models above 2 GB.
 *
 * @param path file of the model; null for a model from memory
 */
export class ExternalFiles {
  readonly #folder: string | null;

  constructor(path: string | null) {
    this.#folder = path === null ? null : dirname(path);
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

  /** @throws {InputError} if the file is not in the model's folder, cannot be read or is too short */
  read({ location, offset, length }: ExternalData, tensor: string): Uint8Array {
    const path = this.#pathOf({ location }, tensor);
    const what = placeOf(tensor, location);
    try {
      using file = openFile(path);
      const { size } = file.statSync();
      const bytes = length ?? size - offset;
      if (bytes < 0 || offset + bytes > size) {
        throw new InputError(
          `${what} at bytes ${offset} to ${offset + bytes}, which has ${size} bytes; is it complete?`,
        );
      }
      file.seekSync(offset, Deno.SeekMode.Start);
      const content = new Uint8Array(bytes);
      if (fill(file, content) < bytes) throw new Error("the file became shorter");
      return content;
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new InputError(`${what}, which cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }

  #pathOf({ location }: Pick<ExternalData, "location">, tensor: string): string {
    const what = placeOf(tensor, location);
    if (this.#folder === null) {
      throw new InputError(`${what}, but the model is given as bytes; give the path of its file instead`);
    }
    const inside = normalize(location.replaceAll("\\", "/"));
    if (inside === "." || inside.startsWith("..") || inside.startsWith("/") || /^[a-z]:/i.test(inside)) {
      throw new InputError(`${what}; expected a file in the folder of the model`);
    }
    return join(this.#folder, inside);
  }
}

function placeOf(tensor: string, location: string): string {
  return `the tensor "${clipped(tensor)}" is in the file "${clipped(location)}"`;
}
