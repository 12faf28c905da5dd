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

/** Whether the terminal understands nothing but text, as TERM=dumb says. */
export function isDumb(): boolean {
  // Asking for a permission would interrupt the run
  const { state } = Deno.permissions.querySync({ name: "env", variable: "TERM" });
  return state === "granted" && Deno.env.get("TERM") === "dumb";
}

/** The look of stdout. `color: false`, NO_COLOR and TERM=dumb switch colours off. */
export function lookOfStdout(color: boolean): Look {
  const isTerminal = Deno.stdout.isTerminal();
  return { columns: isTerminal ? terminalColumns() : null, color: color && isTerminal && !Deno.noColor && !isDumb() };
}

/** Columns of the terminal that stdout or stderr is, or 100 where neither is one or it does not tell. */
export function terminalColumns(): number {
  return terminalSize().columns;
}

/** Columns and rows of the terminal, or those of a usual one where it does not tell. */
export function terminalSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    return { columns: columns || 100, rows: rows || 24 };
  } catch {
    return { columns: 100, rows: 24 };
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
