/**
 * Named ranges, as in NVTX. Around host code they are timed; around layers they name the ops inside.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** One entry of a range. Two entries of ranges with the same path are different objects. */
export interface RangeEntry {
  /** Names from the outermost range, joined by `/`. */
  readonly path: string;
  /** Entry of the enclosing range; null for an outermost range. */
  readonly outer: RangeEntry | null;
}

const current = new AsyncLocalStorage<RangeEntry>();

/** Replaces a `/` in a name, since `/` separates the names of a path. */
const SLASH = "\u2215";

/** Called when a range begins; the returned function is called when it ends. Times are `performance.now()`, in ms. */
export type RangeListener = (path: string, start: number) => (end: number) => void;

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
  const outer = current.getStore() ?? null;
  const own = name.replaceAll("/", SLASH);
  const path = outer === null ? own : `${outer.path}/${own}`;
  const entry: RangeEntry = { path, outer };
  if (listeners.size === 0) return current.run(entry, fn);
  const start = performance.now();
  const ends = [...listeners].map((listener) => listener(path, start));
  const end = () => {
    const now = performance.now();
    for (const listener of ends) listener(now);
  };
  let result: T;
  try {
    result = current.run(entry, fn);
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) result.then(end, end);
  else end();
  return result;
}

/** Returns the entry of the range that the caller runs in. */
export function currentRange(): RangeEntry | undefined {
  return current.getStore();
}

/** Calls `listener` when a range begins, until the returned function is called. */
export function listenToRanges(listener: RangeListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
