/**
 * Prints readable errors for mistakes that `run()` cannot catch: those at the top level of a scenario script, such as
 * `resnet({ dpeth: 20 })`, and errors of callbacks and promises that nothing handles. Handles only uncaught errors on the
 * main thread, and outside a run only those of Tacho and missing permissions; leaves all others to the runtime, and all
 * errors outside a run to a program that calls `measure()`.
 *
 * Importing this module installs the handler.
 *
 * @module
 */
import { TachoError } from "../core/errors.ts";
import { onUncaught } from "../core/uncaught.ts";
import { exitStatusOf, printFailure } from "./failure.ts";
import { isEmbedded } from "../library/embedded.ts";
import { isMissingPermission } from "../library/missing_permission.ts";
import { isMainThread } from "node:worker_threads";
import { isDataWorker } from "../data/loader/data_worker.ts";

let running = false;

let ran = false;

/** Exit status of the first uncaught error during a run; null without one. */
let uncaught: number | null = null;

/** Runs `work`, which returns an exit status. An uncaught error meanwhile is printed, and replaces status 0 by its own. */
export async function guarded(work: () => Promise<number>): Promise<number> {
  running = true;
  ran = true;
  try {
    return await work() || (uncaught ?? 0);
  } finally {
    running = false;
    uncaught = null;
  }
}

/** Returns true once the script has called `run()`. */
export function hasRun(): boolean {
  return ran;
}

function handle(error: unknown): boolean {
  if (!running && (isEmbedded() || !(error instanceof TachoError) && !isMissingPermission(error))) return false;
  printFailure(error, Deno.args.includes("--debug"));
  const status = exitStatusOf(error);
  if (!running) Deno.exit(status);
  uncaught ??= status;
  return true;
}

if (!isWorker()) onUncaught(handle);

/**
 * Returns true where a script is imported for its definitions and must not run: in a web Worker, in a thread of
 * `node:worker_threads`, such as those of the loader, and in the process of a variant.
 */
export function isWorker(): boolean {
  return isDataWorker() || !isMainThread || "WorkerGlobalScope" in globalThis;
}
