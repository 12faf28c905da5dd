/**
 * Makes errors readable that a scenario script throws while it is evaluated, before `run()` could catch them, such as
 * `resnet({ dpeth: 20 })` at the top level. Only Tacho's own errors are taken, only on the main thread, and only when
 * nobody else handles them; what other errors a program has stay with the runtime.
 *
 * Importing this module is what installs it.
 *
 * @module
 */
import { TachoError } from "../core/errors.ts";
import { exitStatusOf, printFailure } from "./failure.ts";
import { isWorker } from "./thread.ts";

function take(event: Event, error: unknown): void {
  if (!(error instanceof TachoError)) return;
  event.preventDefault();
  printFailure(error, Deno.args.includes("--debug"));
  Deno.exit(exitStatusOf(error));
}

if (!isWorker()) {
  globalThis.addEventListener("error", (event) => take(event, event.error));
  // An error at the top level of a module arrives as the rejection of its evaluation.
  globalThis.addEventListener("unhandledrejection", (event) => take(event, event.reason));
}
