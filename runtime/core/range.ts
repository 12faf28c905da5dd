/**
 * Named ranges, as NVTX has them: around host code they are measured; around layers they name the ops inside.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<string>();

/** What a `/` in a name becomes: paths are parted at `/`. */
const SLASH = "\u2215";

/** Is told of every range that ends; times are `performance.now()`. */
export type RangeListener = (path: string, start: number, end: number) => void;

const listeners = new Set<RangeListener>();

/**
 * Runs `fn` inside a named range and returns what it returns. Ranges nest; asynchronous functions stay inside until
 * their promise is settled. Inside a model the ops that `fn` adds belong to the range, on the device too.
 *
 * ```ts
 * const block = layer((x) => range("bottleneck", () => relu()(add(body(x), x))));
 * ```
 */
export function range<T>(name: string, fn: () => T): T {
  const outer = current.getStore();
  const own = name.replaceAll("/", SLASH);
  const path = outer === undefined ? own : `${outer}/${own}`;
  if (listeners.size === 0) return current.run(path, fn);
  const start = performance.now();
  const end = () => {
    const now = performance.now();
    for (const listener of listeners) listener(path, start, now);
  };
  let result: T;
  try {
    result = current.run(path, fn);
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) result.then(end, end);
  else end();
  return result;
}

/** The range that the calling code runs in: names from the outermost, joined by `/`; undefined outside of any. */
export function currentRange(): string | undefined {
  return current.getStore();
}

/** Has `listener` told of ranges until the returned function is called. */
export function listenToRanges(listener: RangeListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
