import { InputError } from "../../core/errors.ts";
import type { Result } from "../../result/schema.ts";
import { checkTarget, writeTarget } from "../json_output.ts";
import type { ComparedCommands } from "./compared_commands.ts";
import { hyperfineCsv, hyperfineJson, hyperfineMarkdown, hyperfineResults } from "./hyperfine_exports.ts";
import type { VersusOptions } from "./versus_flags.ts";

/** Returns the files to export to, with their flags and texts. */
function exportsOf({ exportJson, exportCsv, exportMarkdown }: VersusOptions) {
  return [
    { flag: "--export-json", target: exportJson, text: hyperfineJson },
    { flag: "--export-csv", target: exportCsv, text: hyperfineCsv },
    { flag: "--export-markdown", target: exportMarkdown, text: hyperfineMarkdown },
  ].flatMap(({ target, ...rest }) => target === undefined ? [] : [{ ...rest, target }]);
}

/** Returns true if an export is written to a target. */
export function exportsTo(options: VersusOptions, wanted: string): boolean {
  return exportsOf(options).some(({ target }) => target === wanted);
}

/** @throws {InputError} if an export cannot be written, or there are no whole runs to export */
export async function checkExports(options: VersusOptions, { whole }: ComparedCommands): Promise<void> {
  for (const { flag, target } of exportsOf(options)) {
    if (!whole) throw new InputError(`${flag}: has times of whole runs; give --steps run, or --json for steps`);
    await checkTarget(target, flag);
  }
}

/** Writes the exports. */
export function writeExports({ variants }: Result, options: VersusOptions, { titles }: ComparedCommands): void {
  for (const { flag, target, text } of exportsOf(options)) {
    writeTarget(target, text(hyperfineResults(variants, titles)), flag);
  }
}
