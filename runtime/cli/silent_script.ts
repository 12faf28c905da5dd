/** Comments that begin a line. */
const COMMENTS = /^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm;

/** Code that may measure something: calls that do, `await`, and imports for their side effects. */
const ACTS = /\b(?:run|measure|bench|profile|createTrainer|Profiler)\s*\(|\bawait\b|^\s*import\s*["'(]/m;

/** Statement that begins with a call. */
const CALL = /^\s*[A-Za-z_$][\w$.]*\s*\(/m;

/** Returns why a script with this text does nothing, for `tacho run`; null if it may do something. */
export function silenceOf(text: string): string | null {
  const code = text.replaceAll(COMMENTS, "");
  if (ACTS.test(code)) return null;
  if (/\bscenario\s*\(/.test(code)) {
    return "has no call of run(), so nothing was measured; end it with: if (import.meta.main) await run();";
  }
  return CALL.test(code) ? null : "has no scenario, so there is nothing to run; tacho init creates a project with one";
}
