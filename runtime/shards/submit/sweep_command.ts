import { join, resolve } from "node:path";
import { printableLines } from "../../core/printable.ts";
import { InputError } from "../../core/errors.ts";

/** A sweep to run in shards. */
export interface SubmittedSweep {
  /** Name of the sweep, from which its job and its folder are named. */
  readonly name: string;
  /** Command that runs a shard, without `--shard`. */
  readonly command: readonly string[];
  /** Command that merges the shards into the store and writes a report beside them. */
  readonly merge: readonly string[];
  /** Absolute path of the folder with the shard files, the job script and the logs. */
  readonly folder: string;
  /** Folder in which the command runs. */
  readonly cwd: string;
  readonly shards: number;
  /** Maximum number of shards that run at the same time; null for no limit. */
  readonly atOnce: number | null;
}

/** Flags that submit writes, or that shards refuse. */
const TAKEN = ["--shard", "--shard-dir", "--resume", "--tune", "--dry-run", "--list", "--gate"];

/**
 * Returns the command that runs a shard of a script.
 *
 * @param tacho the words that start the `tacho` command
 * @throws {InputError} if a setting contains a line break, or is a flag that submit writes
 */
export function sweepCommand(
  tacho: readonly string[],
  script: string,
  settings: readonly string[],
  folder: string,
): string[] {
  for (const word of [script, folder, ...settings]) oneLine(word);
  for (const word of settings) {
    const flag = TAKEN.find((name) => word === name || word.startsWith(`${name}=`));
    if (flag !== undefined) throw new InputError(`tacho submit: ${flag} cannot be used with tacho submit; omit it`);
  }
  return [...tacho, "run", resolve(script), ...settings, "--shard-dir", folder];
}

/** Returns the command that merges the shards of a folder, and writes a report there. */
export function mergeCommand(tacho: readonly string[], folder: string): string[] {
  return [...tacho, "collect", folder, "--report", join(folder, "report")];
}

/** Throws if a word cannot be written to a script on one line, or is not printed as it is. */
export function oneLine(word: string): void {
  if (!word.includes("\n") && printableLines(word) === word) return;
  throw new InputError(
    `tacho submit: ${
      JSON.stringify(word)
    } contains a line break or a character that is not printable, which a job script cannot hold`,
  );
}
