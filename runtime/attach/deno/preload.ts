/**
 * Records the program that Deno runs after this module: `deno run --preload preload.ts?folder=... program.ts`. The
 * settings are in the query, so that the program's environment stays as it is; the records go to files in the folder.
 *
 * @module
 */
import { install } from "../install.ts";
import { readQuery } from "../query.ts";
import { beginRecords } from "../realm.ts";
import { Registry } from "../registry.ts";
import { fileRealm } from "./file_realm.ts";
import { patchWorkers } from "./workers.ts";

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
