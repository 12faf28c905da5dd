/**
 * Named ranges, as in NVTX. Around host code they are timed; around layers they name the ops inside.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<string>();

/** Replaces a `/` in a name, since `/` separates the names of a path. */
const SLASH = "\u2215";

/** Called when a range ends. Times are `performance.now()`, in ms. */
export type RangeListener = (path: string, start: number, end: number) => void;

const listeners = new Set<RangeListener>();

/**
 * Runs `fn` inside a named range and returns its result. Ranges nest. An asynchronous function stays inside until its
 * promise settles. In a model, the ops that `fn` adds belong to the range, on the device too.
 *
 * @example
 * ```ts
 * import { add, conv2d, layer, range, relu } from "@tacho/tacho";
 *
 * const body = conv2d(16, { kernel: 3, padding: "same" });
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

/** Returns the path of the range that the caller runs in: names from the outermost, joined by `/`. */
export function currentRange(): string | undefined {
  return current.getStore();
}

/** Calls `listener` when a range ends, until the returned function is called. */
export function listenToRanges(listener: RangeListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
