/**
 * Inspection of a user's module of samples on the main thread.
 *
 * @module
 */
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InputError } from "../core/errors.ts";
import { inspectFile } from "./files.ts";
import { reasonOf, shown } from "../core/shown.ts";

/** Exports of a module of samples. */
export interface SampleModule {
  readonly length?: unknown;
  readonly get?: unknown;
  readonly samples?: unknown;
}

/** Resolves a URL or a path from the current folder. An import map may redirect it to the copy in a stored run. */
export function moduleUrl(module: string): string {
  return import.meta.resolve(/^[a-z][a-z+.-]+:/i.test(module) ? module : pathToFileURL(resolve(module)).href);
}

/**
 * Imports the module on this thread and returns its length, and whether it has a `samples` generator only.
 *
 * @param known length from the data set; the module is imported nevertheless, unless that needs an await
 * @throws {InputError} if it is not a file, cannot be imported synchronously or exports no valid length
 */
export function moduleInfo(module: string, known: number | null): { length: number; sequential: boolean } {
  const url = moduleUrl(module);
  if (url.startsWith("file:")) inspectFile(fileURLToPath(url), "; expected a module");
  let exports: SampleModule;
  try {
    if (!url.startsWith("file:")) throw new Error("it is not a file");
    // Loading it takes 20 ms of processor time, which only sources of this kind pay
    const { createRequire } = process.getBuiltinModule("node:module");
    exports = createRequire(import.meta.url)(fileURLToPath(url)) as SampleModule;
  } catch (error) {
    if (known !== null) return { length: known, sequential: false };
    throw new InputError(
      `source(): ${module} cannot be imported to read its length: ${reasonOf(error).split("\n")[0]}. ` +
        "Give source({ length }), which is required if the module has a top-level await",
      { cause: error },
    );
  }
  const length = known ?? exports.length;
  if (typeof length !== "number" || !Number.isInteger(length) || length < 1) {
    throw new InputError(`source(): ${module} exports length ${shown(length)}; expected a whole number of at least 1`);
  }
  const sequential = typeof exports.get !== "function" && typeof exports.samples === "function";
  return { length, sequential };
}
