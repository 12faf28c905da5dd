/**
 * Prints readable errors for mistakes at the top level of a scenario script, such as `resnet({ dpeth: 20 })`, which `run()`
 * cannot catch. Handles only uncaught errors of Tacho on the main thread, and leaves all others to the runtime.
 *
 * Importing this module installs the handlers.
 *
 * @module
 */
import { TachoError } from "../core/errors.ts";
import { exitStatusOf, printFailure } from "./failure.ts";
import { isWorker } from "./thread.ts";

function handle(event: Event, error: unknown): void {
  if (!(error instanceof TachoError)) return;
  event.preventDefault();
  printFailure(error, Deno.args.includes("--debug"));
  Deno.exit(exitStatusOf(error));
}

if (!isWorker()) {
  globalThis.addEventListener("error", (event) => handle(event, event.error));
  // An error at the top level of a module arrives as the rejection of its evaluation.
  globalThis.addEventListener("unhandledrejection", (event) => handle(event, event.reason));
}
