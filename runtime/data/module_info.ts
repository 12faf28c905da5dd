/**
 * What can be known of a user's module without a worker.
 *
 * @module
 */
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InputError } from "../core/errors.ts";
import { messageOf } from "./files.ts";

/** What a module of samples exports. */
export interface SampleModule {
  readonly length?: unknown;
  readonly get?: unknown;
  readonly samples?: unknown;
}

/** A path is taken from the current folder. An import map may lead elsewhere, to the copy of a stored run. */
export function moduleUrl(module: string): string {
  return import.meta.resolve(/^[a-z][a-z+.-]+:/i.test(module) ? module : pathToFileURL(resolve(module)).href);
}

/**
 * Imports the module on this thread and asks it.
 *
 * @param known the length where the data set says it; the module is imported all the same, unless that needs an await
 * @throws {InputError} if it cannot be imported at once, or has no length
 */
export function moduleInfo(module: string, known: number | null): { length: number; sequential: boolean } {
  const url = moduleUrl(module);
  let exports: SampleModule;
  try {
    if (!url.startsWith("file:")) throw new Error("it is not a file");
    exports = createRequire(import.meta.url)(fileURLToPath(url)) as SampleModule;
  } catch (error) {
    if (known !== null) return { length: known, sequential: false };
    throw new InputError(
      `source(): ${module} cannot be imported here to ask for its length: ${messageOf(error).split("\n")[0]}. ` +
        "Give source({ length }), which must be there when the module has a top-level await",
      { cause: error },
    );
  }
  const length = known ?? exports.length;
  if (typeof length !== "number" || !Number.isInteger(length) || length < 1) {
    throw new InputError(`source(): ${module} exports length ${String(length)}; expected a whole number of at least 1`);
  }
  const sequential = typeof exports.get !== "function" && typeof exports.samples === "function";
  return { length, sequential };
}
