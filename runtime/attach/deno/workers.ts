import type { Patches } from "../patch.ts";

/** Modules that a worker can import after another on request. */
const IMPORTABLE = /^(file|https?):$/;

/**
 * Makes workers load the preloaded module too, which Deno does in the main realm only: their entry becomes a module that
 * imports it, and then the worker's own.
 */
export function patchWorkers(patches: Patches, preload: URL): void {
  const Native = globalThis.Worker;
  if (Native === undefined) return;
  const Recorded = class Worker extends Native {
    constructor(specifier: string | URL, options?: WorkerOptions) {
      super(entry(String(specifier), preload) ?? specifier, options);
    }
  };
  patches.value(globalThis, "Worker", Recorded);
}

/** Returns the entry that imports both modules; null if the worker's cannot be imported. */
function entry(specifier: string, preload: URL): string | null {
  if (!URL.canParse(specifier) || !IMPORTABLE.test(new URL(specifier).protocol)) return null;
  const recorder = new URL(preload);
  recorder.searchParams.set("realm", specifier);
  const code = [recorder.href, specifier].map((module) => `import ${JSON.stringify(module)};`).join("\n");
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
