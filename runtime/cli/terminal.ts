/**
 * What the process writes to, and how it may.
 *
 * @module
 */

/** How text for stdout is to look. */
export interface Look {
  /** Columns of the terminal; null when stdout is no terminal. */
  columns: number | null;
  color: boolean;
}

/** The look of stdout. `color: false` and NO_COLOR switch colours off. */
export function lookOfStdout(color: boolean): Look {
  const isTerminal = Deno.stdout.isTerminal();
  return { columns: isTerminal ? terminalColumns() : null, color: color && isTerminal && !Deno.noColor };
}

/** Columns of the terminal that stdout or stderr is, or 100 where neither is one or it does not tell. */
export function terminalColumns(): number {
  try {
    return Deno.consoleSize().columns || 100;
  } catch {
    return 100;
  }
}

/** Writes all of `text` to stdout before it returns. A reader that has gone away, as `head` does, is no error. */
export function writeOut(text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
