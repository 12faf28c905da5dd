import { stripVTControlCharacters } from "node:util";

/** Line that Deno's WebGPU prints on machines without a display. It is harmless, and not the program's. */
const NOISE = "XDG_RUNTIME_DIR is invalid or not set";

/** First line of what Deno prints about an error that ends a program. */
const UNCAUGHT = /^error: Uncaught /;

/**
 * Returns the last lines of a program's stderr: up to `count`, without empty lines and lines of the graphics driver. Those of
 * an uncaught error begin with its message, however long its stack is.
 */
export function lastLines(stderr: string, count: number): string[] {
  const lines = stripVTControlCharacters(stderr)
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.includes(NOISE));
  const last = Math.max(0, lines.length - count);
  const uncaught = lines.findLastIndex((line) => UNCAUGHT.test(line));
  const from = uncaught < 0 ? last : Math.min(uncaught, last);
  return lines.slice(from, from + count);
}
