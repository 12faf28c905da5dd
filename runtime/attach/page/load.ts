import type { Patches } from "../patch.ts";
import type { LoadRecord } from "../records.ts";
import { scope } from "./scope.ts";

/** An entry of the performance timeline, as far as it is used. */
interface Entry {
  readonly startTime: number;
  readonly duration: number;
  readonly transferSize?: number;
  readonly encodedBodySize?: number;
  readonly decodedBodySize?: number;
}

/** Observes what a realm loads and compiles until its end. */
export class LoadObserver {
  readonly #now: () => number;
  readonly #memories = new Set<WeakRef<WebAssembly.Memory>>();
  readonly #longTasks: number[] = [];
  #compiled = 0;
  #compileMs = 0;

  constructor(now: () => number, patches: Patches) {
    this.#now = now;
    for (const name of ["compile", "compileStreaming", "instantiate", "instantiateStreaming"]) {
      patches.method(WebAssembly, name, (object, args, call) => this.#compiling(call(object, args), args[1]));
    }
    try {
      const observe = (list: { getEntries(): readonly Entry[] }) => {
        for (const { duration } of list.getEntries()) this.#longTasks.push(duration);
      };
      const Observer = scope["PerformanceObserver"] as new (callback: typeof observe) => {
        observe(how: { type: string; buffered: boolean }): void;
      };
      new Observer(observe).observe({ type: "longtask", buffered: true });
    } catch {
      // the browser has none
    }
  }

  /** Returns what was observed so far. */
  record(): LoadRecord {
    const entries = ["navigation", "resource"].flatMap((type) =>
      performance.getEntriesByType(type) as unknown as readonly Entry[]
    );
    const bytes = entries.map(({ decodedBodySize = 0 }) => decodedBodySize);
    const heap = (performance as { memory?: { usedJSHeapSize: number } }).memory;
    return {
      kind: "load",
      downloads: entries.length,
      downloadMs: union(entries),
      downloadBytes: sum(bytes),
      // A download takes its headers too; that of what the server confirms, nothing else
      cached: entries.filter(({ transferSize = 0, encodedBodySize = 0 }) => transferSize < encodedBodySize).length,
      wasm: this.#compiled,
      wasmMs: this.#compileMs,
      wasmBytes: sum([...this.#memories].map((memory) => memory.deref()?.buffer.byteLength ?? 0)),
      longTasks: this.#longTasks.length,
      longTaskMs: sum(this.#longTasks),
      longestTaskMs: Math.max(0, ...this.#longTasks),
      heapBytes: heap?.usedJSHeapSize ?? null,
    };
  }

  /** Times a compilation, and finds the memories of its instance. */
  #compiling(result: unknown, imports: unknown): unknown {
    const start = this.#now();
    this.#compiled++;
    if (!(result instanceof Promise)) return result;
    return result.then((value: unknown) => {
      this.#compileMs += this.#now() - start;
      const { instance = value } = value as { readonly instance?: unknown };
      const { exports = {} } = instance as { readonly exports?: object };
      const imported = Object.values(imports ?? {}).flatMap((module: unknown) => Object.values(module ?? {}));
      for (const one of [...Object.values(exports), ...imported] as unknown[]) {
        if (one instanceof WebAssembly.Memory) this.#memories.add(new WeakRef(one));
      }
      return value;
    });
  }
}

/** Time in which at least one entry was under way. */
function union(entries: readonly Entry[]): number {
  let [total, until] = [0, 0];
  for (const { startTime, duration } of entries.toSorted((a, b) => a.startTime - b.startTime)) {
    total += Math.max(0, startTime + duration - Math.max(until, startTime));
    until = Math.max(until, startTime + duration);
  }
  return total;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
