import type { Config } from "./config.ts";
import { isPlain } from "./merge.ts";

/** The parts that make two variants equal. */
interface Setup {
  readonly name: string;
  readonly config: Config;
  /** The model as written in the script. */
  readonly model: unknown;
}

/** A variant that is set up exactly like variant `of`. */
export interface Alias {
  readonly name: string;
  readonly of: string;
}

/** Removes variants that are set up exactly like an earlier one, and returns them as its aliases. */
export function withoutDuplicates<V extends Setup>(all: readonly V[]): { variants: V[]; aliases: Alias[] } {
  const variants: V[] = [];
  const aliases: Alias[] = [];
  for (const variant of all) {
    const same = variants.find((other) => sameSetup(other, variant));
    if (same === undefined) variants.push(variant);
    else aliases.push({ name: variant.name, of: same.name });
  }
  return { variants, aliases };
}

/** Compares models by identity of the layer or function, since parameters are compared anyway. */
function sameSetup(a: Setup, b: Setup): boolean {
  const [{ model: _a, data, ...settings }, { model: _b, data: other, ...others }] = [a.config, b.config];
  return a.model === b.model && equal(settings, others) && equal(data, other); // Last, since data can be large
}

/** Compares plain data by value, functions and other objects by identity. */
export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) return sameBytes(a, b);
  if (!isPlain(a) || !isPlain(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}

function sameBytes(a: ArrayBufferView, b: ArrayBufferView): boolean {
  if (a.constructor !== b.constructor || a.byteLength !== b.byteLength) return false;
  const [x, y] = [a, b].map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
  return x!.every((byte, i) => byte === y![i]);
}
