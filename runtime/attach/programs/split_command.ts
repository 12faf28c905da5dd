import { InputError } from "../../core/errors.ts";

/** A command with variables of its environment. */
export interface SplitCommand {
  readonly env: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

/**
 * Splits a command line into words, as a POSIX shell does without expansions: `NAME=value` before the command sets a
 * variable, and quotes and backslashes keep characters.
 *
 * @throws {InputError} if a quote is not closed, or there is no command
 */
export function splitCommand(text: string): SplitCommand {
  const words: string[] = [];
  const token = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gsy;
  let word: string | null = null;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const found = token.exec(text);
    if (found === null) throw new InputError(`Command ${text}: character ${at + 1}: a quote is not closed`);
    const [, single, double, escaped, plain, space] = found;
    if (space !== undefined) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + (single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "");
  }
  if (word !== null) words.push(word);
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (first < 0) throw new InputError(`Expected a command such as "deno run -A program.ts", got "${text}"`);
  const env = Object.fromEntries(
    words.slice(0, first).map((word) => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
  return { env, words: words.slice(first) };
}
