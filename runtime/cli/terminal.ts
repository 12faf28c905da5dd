/**
 * Properties of the terminal, and writing to stdout.
 *
 * @module
 */

/** Maximum width of prose, in columns. */
export const PROSE_WIDTH = 100;

/** Layout of text for stdout. */
export interface Look {
  /** Columns of the terminal; null if stdout is not a terminal. */
  columns: number | null;
  color: boolean;
}

/** Returns true if the terminal supports plain text only (TERM=dumb). */
export function isDumb(): boolean {
  // A permission prompt would interrupt the run
  const { state } = Deno.permissions.querySync({ name: "env", variable: "TERM" });
  return state === "granted" && Deno.env.get("TERM") === "dumb";
}

/** Returns the layout for stdout. `color: false`, NO_COLOR and TERM=dumb disable colours. */
export function lookOfStdout(color: boolean): Look {
  const isTerminal = Deno.stdout.isTerminal();
  return { columns: isTerminal ? terminalColumns() : null, color: color && isTerminal && !Deno.noColor && !isDumb() };
}

/** Returns the columns of the terminal, or 100 if they are unknown. */
export function terminalColumns(): number {
  return terminalSize().columns;
}

/** Returns the columns and rows of the terminal, or 100 and 24 if they are unknown. */
export function terminalSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    return { columns: columns || 100, rows: rows || 24 };
  } catch {
    return { columns: 100, rows: 24 };
  }
}

/** Writes all of `text` to stdout synchronously. A closed pipe, as of `head`, is not an error. */
export function writeOut(text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
