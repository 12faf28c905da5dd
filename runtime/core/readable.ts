import { InputError } from "./errors.ts";
import { clipped, reasonOf } from "./shown.ts";

/** Maximum depth of settings, which are checked recursively. */
const DEPTH = 100;

/**
 * Copies records and lists, so that what reads them meets no getter and no proxy. Functions, typed arrays and instances of
 * classes stay as they are.
 *
 * @param place path of the value in messages; empty for a scenario
 * @throws {InputError} naming the path of a value that contains itself, cannot be read, or is called `__proto__`
 */
export function readable<T>(value: T, place: string): T {
  const copies = new Map<object, unknown>();
  const open = new Set<object>();
  const copy = (item: unknown, path: string): unknown => {
    if ((typeof item !== "object" && typeof item !== "function") || item === null) return item;
    if (copies.has(item)) return copies.get(item);
    const at = path === "" ? "scenario" : path;
    if (open.has(item)) throw new InputError(`${at}: contains itself`);
    if (open.size === DEPTH) throw new InputError(`${at}: expected at most ${DEPTH} records inside each other`);
    open.add(item);
    const made = copyOf(item, path, at);
    open.delete(item);
    copies.set(item, made);
    return made;
  };
  const copyOf = (item: object, path: string, at: string): unknown => {
    const prototype = read(at, () => Object.getPrototypeOf(item) as unknown);
    if (typeof item === "function") return item;
    if (Array.isArray(item)) {
      const items = read(at, () => Array.from(item as unknown[]));
      return items.every((inner) => typeof inner !== "object" && typeof inner !== "function")
        ? items
        : items.map((inner, i) => copy(inner, `${path}[${i}]`));
    }
    if (prototype !== Object.prototype && prototype !== null) return item;
    return Object.fromEntries(
      read(at, () => Object.keys(item)).map((key) => {
        const inner = path === "" ? clipped(key) : `${path}.${clipped(key)}`;
        // Checks of records would leave it out without a word
        if (key === "__proto__") throw new InputError(`${inner}: has a meaning in JavaScript; expected another name`);
        return [key, copy(read(inner, () => Reflect.get(item, key)), inner)];
      }),
    );
  };
  return copy(value, place) as T;
}

/**
 * Runs an action that reads a user's value.
 *
 * @throws {InputError} if the value cannot be read, naming `path`
 */
export function read<V>(path: string, action: () => V): V {
  try {
    return action();
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${path}: cannot be read: ${clipped(reasonOf(error), 200)}`, { cause: error });
  }
}
