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
  const keyOf = setupKeys();
  const byKey = new Map<string, V[]>();
  for (const variant of all) {
    const key = keyOf(variant);
    const alike = byKey.get(key) ?? [];
    const same = alike.find((other) => sameSetup(other, variant));
    if (same !== undefined) {
      aliases.push({ name: variant.name, of: same.name });
      continue;
    }
    variants.push(variant);
    alike.push(variant);
    byKey.set(key, alike);
  }
  return { variants, aliases };
}

/** Items of a list that are part of a key. */
const KEY_ITEMS = 32;

/** Returns a function whose result is the same for equal setups, and differs for almost all others. */
function setupKeys(): (setup: Setup) => string {
  const ids = new Map<unknown, number>();
  const idOf = (value: unknown) => {
    const id = ids.get(value) ?? ids.size;
    ids.set(value, id);
    return `#${id}`;
  };
  const keyOf = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.length}:${value.slice(0, KEY_ITEMS).map(keyOf).join()}]`;
    if (ArrayBuffer.isView(value)) return `<${value.byteLength}:${firstBytes(value).join()}>`;
    if (!isPlain(value)) return typeof value === "string" ? JSON.stringify(value) : idOf(value);
    return `{${Object.keys(value).toSorted().map((key) => `${JSON.stringify(key)}:${keyOf(value[key])}`).join()}}`;
  };
  return ({ config: { model: _, ...settings }, model }) => `${idOf(model)} ${keyOf(settings)}`;
}

function firstBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, Math.min(byteLength, KEY_ITEMS));
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
