/**
 * Functions of the user's as transforms. A function cannot be sent to a worker, so a worker imports the module that made
 * it, which makes it again: functions are known by their module and by the order in which it makes them.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { hashText } from "../../core/random.ts";
import type { MapFunction } from "./transform.ts";

/** By module, in the order of creation. The script's own are under null, whatever this thread began with. */
const registered = new Map<string | null, MapFunction[]>();

/** What a transform says to find its function again. */
export interface FunctionKey {
  readonly module: string | null;
  readonly script: string;
  readonly index: number;
  readonly hash: number;
}

/** A function that is given twice keeps its first number. */
export function registerFunction(fn: MapFunction, module: string | null): FunctionKey {
  const functions = registered.get(module) ?? [];
  registered.set(module, functions);
  const known = functions.indexOf(fn);
  const index = known < 0 ? functions.push(fn) - 1 : known;
  // A worker has no main module (Deno 2.9), and nobody to tell it to
  const script: string = module ?? (Deno.mainModule as string | undefined) ?? "";
  return { module, script, index, hash: hashText(fn.toString()) };
}

/**
 * Imports the module that a function comes from, where this thread does not have it yet.
 *
 * @throws {InputError} if the module cannot be imported
 */
export async function loadFunction(key: FunctionKey): Promise<void> {
  if (find(key) !== undefined) return;
  try {
    await import(key.script);
  } catch (error) {
    throw new InputError(
      `Data worker: ${key.script} cannot be imported, whose functions are transforms: ${
        error instanceof Error ? error.message : error
      }`,
      { cause: error },
    );
  }
}

/**
 * The function of a transform.
 *
 * @throws {InputError} if this thread does not have it
 */
export function functionOf(spec: FunctionKey & { readonly name: string }): MapFunction {
  const fn = find(spec);
  if (fn !== undefined && hashText(fn.toString()) === spec.hash) return fn;
  const found = fn === undefined ? "was not made" : "is another one";
  throw new InputError(
    `transforms.map(${spec.name}): function ${spec.index} of ${spec.script} ${found} when a data worker imported it. ` +
      "Call map() at the top level of the module, always in the same order, and not under import.meta.main; give " +
      "{ module: import.meta.url } where that is not the script that was started; or use loader.numWorkers=0",
  );
}

function find({ module, index }: FunctionKey): MapFunction | undefined {
  return registered.get(module)?.[index];
}
