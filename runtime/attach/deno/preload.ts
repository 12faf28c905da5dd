/**
 * Records the program that Deno runs after this module: `deno run --preload preload.ts?folder=... program.ts`. The
 * settings are in the query, so that the program's environment stays as it is; the records go to files in the folder.
 *
 * @module
 */
import { install } from "../install.ts";
import type { Patches } from "../patch.ts";
import { readQuery } from "../query.ts";
import { beginRecords } from "../realm.ts";
import { Registry } from "../registry.ts";
import { fileRealm } from "./file_realm.ts";

/** Modules that a worker can import after another on request. */
const IMPORTABLE = /^(file|https?):$/;

const { folder, realm: name, settings } = readQuery(new URL(import.meta.url));
const isWorker = "WorkerGlobalScope" in globalThis;
const realm = fileRealm(folder);
beginRecords(realm, name);
const registry = new Registry();
const patches = install(registry, { settings, realm });
patchWorkers(patches, new URL(import.meta.url));
// Written at once, so that a program that is killed early has a recording
realm.sink.flush(true);

const finish = () => registry.end(realm);
addEventListener("unload", finish);
addEventListener("error", finish);
addEventListener("unhandledrejection", finish);
if (isWorker) {
  const scope = globalThis as unknown as { close(): void };
  const close = scope.close.bind(scope);
  patches.value(globalThis, "close", () => {
    finish();
    close();
  });
}

/**
 * Makes workers load the preloaded module too, which Deno does in the main realm only: their entry becomes a module that
 * imports it, and then the worker's own.
 */
function patchWorkers(patches: Patches, preload: URL): void {
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
