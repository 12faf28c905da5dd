import { ExitStatus } from "../../core/errors.ts";
import { clip, printable } from "../../report/plain_text.ts";
import { complete } from "../completion/complete.ts";
import { SHELLS } from "../completion/shells.ts";
import { oneOf } from "../flag_values.ts";
import { parseCommand } from "../parse_command.ts";
import { writeOut } from "../terminal.ts";
import { type CommandEntry, createPlainCommand } from "./command.ts";

/** Width of descriptions, in columns, which shells show beside each word. */
const WIDTH = 60;

const NAMES = Object.keys(SHELLS);

export const define = () =>
  createPlainCommand({
    name: "completions",
    description: "Prints a script that lets a shell complete tacho's commands, flags, settings and names of kept runs.",
    examples: [
      ["tacho completions fish | source", "complete in this fish; put it in config.fish"],
      ["source <(tacho completions bash)", "complete in this bash; put it in ~/.bashrc"],
      ["source <(tacho completions zsh)", "complete in this zsh; put it in ~/.zshrc, after compinit"],
      ["tacho completions bash -- run s.ts am", "list the completions of a command line, as these scripts do"],
    ],
  })
    .argument("<shell>", `${NAMES.slice(0, -1).join(", ")} or ${NAMES.at(-1)}`, oneOf("tacho completions", NAMES))
    .argument("[words...]", "arguments of tacho so far, the last one unfinished; prints its completions");

/** Prints the completion script of a shell, or the completions of a command line. */
export async function run(args: readonly string[], commands: readonly CommandEntry[]): Promise<number> {
  const command = define();
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const [shell, words] = command.processedArgs;
  if (words.length === 0) {
    writeOut(SHELLS[shell]!);
    return ExitStatus.ok;
  }
  const { candidates, paths } = await complete(words, commands);
  const lines = candidates.map(({ text, description }) => `${printable(text)}\t${clip(printable(description), WIDTH)}`);
  writeOut([...lines, ...paths === null ? [] : [`:${paths}`]].map((line) => `${line}\n`).join(""));
  return ExitStatus.ok;
}
