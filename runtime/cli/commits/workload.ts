import { basename } from "node:path";
import { InputError } from "../../core/errors.ts";
import type { Version } from "./version.ts";

/** Work that runs in each version: a program that uses WebGPU, or one variant of a Tacho script. */
export type Workload =
  | { readonly kind: "program"; readonly words: readonly string[] }
  | { readonly kind: "script"; readonly file: string; readonly args: readonly string[] };

/** Steps that a script trains, until it is ended. */
const ENDLESS = 1_000_000;

/**
 * Reads the words after `--`.
 *
 * @throws {InputError} if they run neither Deno nor a script
 */
export function readWorkload(tool: string, words: readonly string[]): Workload {
  const [first = "", ...rest] = words;
  if (/^deno(\.exe)?$/.test(basename(first))) return { kind: "program", words };
  if (/\.[cm]?[jt]sx?$/.test(first)) return { kind: "script", file: first, args: rest };
  throw new InputError(
    `${tool}: expected a script or a command that begins with deno after --, got "${words.join(" ")}"; for example: ` +
      `${tool} main . -- train.ts batchSize=64`,
  );
}

/** Returns the command that runs a program in a version, or trains a variant of a script without end. */
export function commandOf(workload: Workload, variant: string | null, { flags }: Version): string[] {
  if (workload.kind === "script") {
    const endless = [`measure.steps=${ENDLESS}`, "measure.rounds=1", "measure.skip=0", "measure.aa=false"];
    const chosen = variant === null ? [] : ["--variants", variant];
    return [...denoRun(flags), workload.file, ...workload.args, ...endless, ...chosen, "--no-store"];
  }
  const [deno = "deno", ...rest] = workload.words;
  const [subcommand = "", ...args] = rest;
  if (flags.length === 0) return [deno, ...rest];
  return /^(run|test|bench|serve)$/.test(subcommand)
    ? [deno, subcommand, ...flags, ...args]
    : [deno, "run", ...flags, ...rest];
}

/** Words that run a module with all permissions. */
export function denoRun(flags: readonly string[]): string[] {
  return [Deno.execPath(), "run", "-A", ...flags];
}
