/**
 * Users' functions as transforms. A function cannot be sent to a worker, so a worker imports the module that creates it.
 * Functions are identified by their module and by the order in which it creates them.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { hashText } from "../../core/random.ts";
import { reasonOf } from "../../core/shown.ts";
import type { MapFunction } from "./transform.ts";

/** Functions by module, in the order of creation; null is the main script, in workers too. */
const registered = new Map<string | null, MapFunction[]>();

/** Identity of a function across threads. */
export interface FunctionKey {
  readonly module: string | null;
  readonly script: string;
  readonly index: number;
  readonly hash: number;
}

/** Registers a function. One that is registered already keeps its index. */
export function registerFunction(fn: MapFunction, module: string | null): FunctionKey {
  const functions = registered.get(module) ?? [];
  registered.set(module, functions);
  const known = functions.indexOf(fn);
  const index = known < 0 ? functions.push(fn) - 1 : known;
  // A worker has no main module (Deno 2.9) and needs none: it only looks functions up
  const script: string = module ?? (Deno.mainModule as string | undefined) ?? "";
  return { module, script, index, hash: hashText(fn.toString()) };
}

/**
 * Imports the module that creates a function, unless this thread has the function already.
 *
 * @throws {InputError} if the module cannot be imported
 */
export async function loadFunction(key: FunctionKey): Promise<void> {
  if (find(key) !== undefined) return;
  try {
    await import(key.script);
  } catch (error) {
    if (isNotebook(key.script)) {
      throw new InputError(
        "transforms.map(): a data worker cannot run functions of a notebook's cells. Move the map() call to a file, " +
          "with { module: import.meta.url }, and import it; or use loader.numWorkers=0",
        { cause: error },
      );
    }
    throw new InputError(
      `Data worker: ${key.script}, which creates functions of transforms, cannot be imported: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

/** Returns true for the main module of Deno's Jupyter kernel, which is no file. */
function isNotebook(script: string): boolean {
  return script.endsWith("/$deno$jupyter_repl.mts");
}

/**
 * Returns the function of a transform.
 *
 * @throws {InputError} if this thread does not have it
 */
export function functionOf(spec: FunctionKey & { readonly name: string }): MapFunction {
  const fn = find(spec);
  if (fn !== undefined && hashText(fn.toString()) === spec.hash) return fn;
  const found = fn === undefined ? "was not created" : "is a different one";
  throw new InputError(
    `transforms.map(${spec.name}): function ${spec.index} of ${spec.script} ${found} when a data worker imported it. ` +
      "Call map() at the top level of the module, always in the same order, and not under import.meta.main; pass " +
      "{ module: import.meta.url } if that module is not the main script; or use loader.numWorkers=0",
  );
}

function find({ module, index }: FunctionKey): MapFunction | undefined {
  return registered.get(module)?.[index];
}
