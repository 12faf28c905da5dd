import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import { clipped } from "../../core/shown.ts";
import { overview } from "../overview.ts";
import { runOf } from "../parse_command.ts";
import { PROSE_WIDTH, terminalColumns, writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

/** Topic of the settings, beside the names of commands. */
export const SETTINGS = "settings";

export const define = () =>
  createPlainCommand({
    name: "help",
    description: "Lists the commands, explains one of them, or explains the settings of scenarios.",
    examples: [
      ["tacho help", "list the commands"],
      ["tacho help run", "explain a command, like tacho run --help"],
      ["tacho help settings", "list all settings with their types, defaults and meanings"],
      ["tacho help settings cache", "list the settings about a word"],
    ],
  })
    .argument("[topic]", "a command, or settings")
    .argument("[word]", "with settings: list those that have it in their name, values or description");

/** Prints the help of a command or of the settings. */
export const run = runOf(define, async (_options, [topic, word], _command, commands) => {
  if (topic === SETTINGS) {
    const { settingsHelp } = await import("../settings_help.ts");
    writeOut(settingsHelp(word ?? "", Math.min(terminalColumns(), PROSE_WIDTH)));
    return;
  }
  if (word !== undefined) throw new InputError(`tacho help: only ${SETTINGS} takes a word, got "${clipped(word)}"`);
  if (topic === undefined) {
    writeOut(overview(commands));
    return;
  }
  const entry = commands.find(({ name }) => name === topic);
  if (entry !== undefined) return await (await entry.load()).run(["--help"], commands);
  const known = [SETTINGS, ...commands.map(({ name }) => name)];
  throw new InputError(`tacho help: unknown topic "${clipped(topic)}"${suggestion(topic, known)}`);
});
