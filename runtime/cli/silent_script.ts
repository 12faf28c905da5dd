/**
 * Recognizes scripts that measure nothing. Importing this module says so at the end of a script whose scenario never runs.
 *
 * @module
 */
import { ExitStatus } from "../core/errors.ts";
import { readTextIfAny } from "../core/files.ts";
import { isEmbedded } from "../library/embedded.ts";
import { registeredScenario } from "../scenario/definition.ts";
import { hasRun, isWorker } from "./guard.ts";
import { writeError } from "./terminal.ts";

/** Comments that begin a line. */
const COMMENTS = /^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm;

/** Code that may measure or test something: calls that do, `await`, and imports for their side effects. */
const ACTS = /\b(?:run|measure|bench|profile|test|createTrainer|Profiler)\s*\(|\bawait\b|^\s*import\s*["'(]/m;

/** Definition of a scenario. */
const DEFINES = /\bscenario\s*\(/;

/** Statement that begins with a call, which prints more than a text. */
const CALL = /^\s*(?!console\.)[A-Za-z_$][\w$.]*\s*\(/m;

/** Returns why a script with this text does nothing; null if it may do something. */
export function silenceOf(text: string): string | null {
  const code = text.replaceAll(COMMENTS, "");
  if (ACTS.test(code)) return null;
  if (DEFINES.test(code)) {
    return "has no call of run(), so nothing was measured; end it with: if (import.meta.main) await run();";
  }
  return CALL.test(code) ? null : "has no scenario, so there is nothing to run; tacho init creates a project with one";
}

/** Ends a script with status 2 if it defined a scenario and used it for nothing. */
function refuseSilence(): void {
  if (Deno.exitCode !== 0 || registeredScenario() === null || hasRun() || isEmbedded()) return;
  // A permission prompt would hold the end up
  if (Deno.permissions.querySync({ name: "read" }).state !== "granted") return;
  const script = new URL(Deno.mainModule);
  const text = script.protocol === "file:" ? readTextIfAny(script) : null;
  const silence = text !== null && DEFINES.test(text) ? silenceOf(text) : null;
  if (silence === null) return;
  writeError(`error: This script ${silence}\n`);
  Deno.exitCode = ExitStatus.badInput;
}

if (!isWorker()) addEventListener("unload", refuseSilence);
