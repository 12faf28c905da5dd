/**
 * Records the program that Deno runs after this module: `deno run --preload preload.ts?folder=... program.ts`. The
 * settings are in the query, so that the program's environment stays as it is; the records go to files in the folder.
 *
 * @module
 */
import { install } from "../install.ts";
import { LineSink } from "../line_sink.ts";
import { now } from "../native.ts";
import { readQuery } from "../query.ts";
import { RECORDS_VERSION } from "../records.ts";
import { Registry } from "../registry.ts";
import { openRecords } from "./open_records.ts";
import { patchWorkers } from "./workers.ts";

const { folder, realm, settings } = readQuery(new URL(import.meta.url));
const isWorker = "WorkerGlobalScope" in globalThis;
const file = openRecords(`${folder}/${crypto.randomUUID()}.jsonl`);
const sink = new LineSink((bytes) => file.writeSync(bytes), now);
sink.write({ kind: "start", version: RECORDS_VERSION, realm, time: now(), timeOrigin: performance.timeOrigin });
const registry = new Registry();
const patches = install(registry, { settings, sink });
patchWorkers(patches, new URL(import.meta.url));
// Written at once, so that a program that is killed early has a recording
sink.flush(true);

const finish = () => registry.end(sink);
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
