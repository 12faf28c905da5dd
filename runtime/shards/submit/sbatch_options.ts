import { InputError } from "../../core/errors.ts";
import { shellWord } from "../../core/shell_word.ts";
import { oneLine } from "./sweep_command.ts";

/** Options of sbatch that the job script sets, or that would change what it is. */
const TAKEN = ["--array", "--wrap", "--chdir", "--no-requeue"];
const TAKEN_SHORT = /^-[aD]/;

/**
 * Returns the user's options of sbatch as one line of the job script, or null for none.
 *
 * @throws {InputError} if one cannot be used
 */
export function optionLine(options: readonly string[]): string | null {
  if (options.length === 0) return null;
  if (!options[0]!.startsWith("-")) {
    throw new InputError(
      `tacho submit: expected options of sbatch after --, such as --time=1:00:00, got "${options[0]}"`,
    );
  }
  for (const option of options) {
    oneLine(option);
    const name = option.split("=")[0]!;
    if (TAKEN.includes(name) || TAKEN_SHORT.test(option)) {
      throw new InputError(`tacho submit: ${name} cannot be set after --; the job script sets it`);
    }
  }
  return `#SBATCH ${options.map(directiveWord).join(" ")}`;
}

/** Quotes a word for a directive of a job script: unlike a shell, Slurm reads backslashes also between quotes. */
export function directiveWord(word: string): string {
  return shellWord(word.replaceAll("\\", "\\\\"));
}
