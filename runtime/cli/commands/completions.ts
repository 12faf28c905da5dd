import { clip, printable } from "../../report/plain_text.ts";
import { complete } from "../completion/complete.ts";
import { SHELLS } from "../completion/shells.ts";
import { oneOf } from "../flag_values.ts";
import { runOf } from "../parse_command.ts";
import { writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

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
export const run = runOf(define, async (_options, [shell, words], _command, commands) => {
  if (words.length === 0) {
    writeOut(SHELLS[shell]!);
    return;
  }
  const { candidates, paths } = await complete(words, commands);
  const lines = candidates.map(({ text, description }) => `${printable(text)}\t${clip(printable(description), WIDTH)}`);
  writeOut([...lines, ...paths === null ? [] : [`:${paths}`]].map((line) => `${line}\n`).join(""));
});
