/**
 * Entry of the process of a variant: `deno run --preload entry.ts?settings=FILE SCRIPT`. Imports the script for its
 * definitions, runs the commands of the parent process, and ends before the script runs as the main module.
 *
 * @module
 */
import { readText } from "../../../core/files.ts";
import { becomeDataWorker } from "../../../data/loader/data_worker.ts";
import type { ProcessSettings } from "./protocol.ts";
import { serveVariant } from "./serve_variant.ts";

const file = new URL(import.meta.url).searchParams.get("settings")!;
const settings: ProcessSettings = JSON.parse(readText(file));
becomeDataWorker(); // calls of run() and measure() at the top level of the script do nothing
await serveVariant(settings);
Deno.exit(0);
