/**
 * Records the program that Node runs after this module, with WebGPU by npm's `webgpu`: `node --import node.js?folder=...
 * program.js`. It is bundled to JavaScript, since Node may not read TypeScript; there, the names of WebGPU's classes are
 * properties of {@linkcode webgpu}.
 *
 * @module
 */
import { openSync, writeSync } from "node:fs";
import process from "node:process";
import { isMainThread, threadId } from "node:worker_threads";
import { install } from "../install.ts";
import { LineSink } from "../line_sink.ts";
import { now } from "../native.ts";
import { readQuery } from "../query.ts";
import { beginRecords, type Realm } from "../realm.ts";
import { Registry } from "../registry.ts";
import { webgpu } from "./webgpu.ts";

const { folder, realm: main, settings } = readQuery(new URL(import.meta.url));
const file = openSync(`${folder}/${crypto.randomUUID()}.jsonl`, "a");
const sink = new LineSink((bytes) => writeSync(file, bytes), now);
const realm: Realm = { sink, now, waitsBlock: false };
beginRecords(realm, isMainThread ? main : `thread ${threadId}`);
sink.flush(true);
const registry = new Registry();

/** Exports of a native module. */
interface NativeModule {
  readonly exports?: { readonly create?: unknown; readonly globals?: Readonly<Record<string, unknown>> };
}

// The classes come from the package's native module. They are patched as it is loaded, before the program sees them
const load = process.dlopen.bind(process);
process.dlopen = (module: object, ...rest) => {
  load(module, ...rest);
  const { create, globals } = (module as NativeModule).exports ?? {};
  if (typeof create !== "function" || globals?.["GPUDevice"] === undefined || "GPUDevice" in webgpu) return;
  Object.assign(webgpu, globals);
  install(registry, { settings, realm });
};

// Timestamps cannot be read once the program exits, so what is left is read when it has nothing more to do
process.once("beforeExit", () => void registry.readRest());
process.once("exit", () => registry.end(realm));
