/**
 * Properties of the terminal, and writing to stdout and stderr. A failed write ends nothing. Whatever the text, a terminal
 * gets no control characters but those of Tacho's own colours.
 *
 * @module
 */
import { ExitStatus } from "../core/errors.ts";
import { printableLines } from "../core/printable.ts";
import { reasonOf } from "../core/shown.ts";
import { sleep } from "../data/sleep.ts";

/** Maximum width of prose, in columns. */
export const PROSE_WIDTH = 100;

/** Pause before the next attempt to write to a pipe that is full for now, in ms. */
const RETRY_MS = 2;

/** Layout of text for stdout or stderr. */
export interface Look {
  /** Columns of the terminal; null if the stream is not a terminal. */
  columns: number | null;
  color: boolean;
  /** Text names flags that show more. */
  flags: true;
}

/** Returns true if the terminal supports plain text only (TERM=dumb). */
export function isDumb(): boolean {
  // A permission prompt would interrupt the run
  const { state } = Deno.permissions.querySync({ name: "env", variable: "TERM" });
  return state === "granted" && Deno.env.get("TERM") === "dumb";
}

/** Returns the layout for stdout. `color: false`, NO_COLOR and TERM=dumb disable colours. */
export function lookOfStdout(color: boolean): Look {
  return lookOf(Deno.stdout, color);
}

/** Returns the layout for stderr, as {@linkcode lookOfStdout} does. */
export function lookOfStderr(color: boolean): Look {
  return lookOf(Deno.stderr, color);
}

function lookOf(stream: Stream, color: boolean): Look {
  return {
    columns: stream.isTerminal() ? terminalColumns() : null,
    color: color && showsColors(stream),
    flags: true,
  };
}

type Stream = Pick<typeof Deno.stdout, "isTerminal" | "writeSync">;

function showsColors(stream: Stream): boolean {
  return stream.isTerminal() && !Deno.noColor && !isDumb();
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

/** First error of stdout, after which nothing more is written there; null if there was none. */
let lost: { readonly error: unknown } | null = null;

/**
 * Writes all of `text` to stdout synchronously, with unsafe characters escaped by `printableLines`. JSON needs
 * `writeJson`, whose escapes change no value. After an error stdout gets nothing more; see
 * {@linkcode outputStatus}.
 */
export function writeOut(text: string): void {
  if (lost !== null) return;
  try {
    writeAll(Deno.stdout, encode(text, Deno.stdout));
  } catch (error) {
    lost = { error };
  }
}

/** Writes all of `text` to stderr as {@linkcode writeOut} does to stdout, or not, if stderr is full or closed. */
export function writeError(text: string): void {
  stderr.writeSync(encode(text, Deno.stderr));
}

/** Removes a line of progress on stderr. */
export function clearLine(): void {
  if (Deno.stderr.isTerminal() && !isDumb()) stderr.writeSync(new TextEncoder().encode("\r\x1b[2K"));
}

function encode(text: string, stream: Stream): Uint8Array {
  return new TextEncoder().encode(printableLines(text, { styles: showsColors(stream) }));
}

/** Writes a line to stderr that needs the user's attention. */
export function warn(message: string): void {
  writeError(`warning: ${printableLines(message)}\n`);
}

/** Stream of stderr whose writes never fail, for text that moves the cursor. */
export const stderr = {
  writeSync(bytes: Uint8Array): number {
    try {
      writeAll(Deno.stderr, bytes);
    } catch {
      // there is no place to report the reason
    }
    return bytes.length;
  },
};

/**
 * Returns the exit status of a process that would end with `status`: another one if all else went well, but text for
 * stdout was lost. Prints the reason unless the reader has closed the pipe, like `head`.
 */
export function outputStatus(status: number): number {
  if (lost === null) return status;
  if (!(lost.error instanceof Deno.errors.BrokenPipe)) {
    writeError(`error: stdout is incomplete: ${reasonOf(lost.error)}\n`);
  }
  return status === ExitStatus.ok ? ExitStatus.output : status;
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += stream.writeSync(bytes.subarray(at));
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      sleep(RETRY_MS);
    }
  }
}
