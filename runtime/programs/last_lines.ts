import { stripVTControlCharacters } from "node:util";

/** Line that Deno's WebGPU prints on machines without a display. It is harmless, and not the program's. */
const NOISE = "XDG_RUNTIME_DIR is invalid or not set";

/** Returns the last lines of a program's stderr: up to `count`, without empty lines and lines of the graphics driver. */
export function lastLines(stderr: string, count: number): string[] {
  return stripVTControlCharacters(stderr)
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.includes(NOISE))
    .slice(-count);
}
