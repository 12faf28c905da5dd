import { join } from "node:path";
import { ProcessOutput } from "../../support/process_output.ts";
import type { Place } from "../tacho_process.ts";

/** Path of a program in this folder. */
export const program = (name: string) => join(import.meta.dirname!, name);

/** Starts a recorded program that prints `words` and a number, and returns the number. */
export async function start(place: Place, words: string, name: string, wrapper: string | null = null) {
  const child = place.start(["attach", "--", "deno", "run", "-A", "--no-check", program(name)], {}, wrapper);
  const stdout = new ProcessOutput(child.stdout);
  const stderr = new ProcessOutput(child.stderr);
  await stdout.until(" now");
  const number = Number(new RegExp(`${words} (\\d+) now`).exec(await stdout.line())![1]);
  return { child, stdout, stderr, number };
}
