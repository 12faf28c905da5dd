import { ExitStatus } from "../../core/errors.ts";
import { parseCommand } from "../parse_command.ts";
import { writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

export const define = () =>
  createPlainCommand({
    name: "recorder",
    description:
      "Prints the recorder of tacho attach as one script for pages of any browser, for <script src> before the page's own " +
      "scripts, or for its console before a device is requested. tacho.save() in the page's console saves the recording.",
    examples: [
      ["tacho recorder > tacho.js", 'write the script; the page has <script src="tacho.js"></script> first'],
      ["tacho attach --show tacho.jsonl", "print what tacho.save() saved"],
    ],
  });

/** Prints the script. */
export async function run(args: readonly string[]): Promise<number> {
  if (!parseCommand(define(), args)) return ExitStatus.ok;
  writeOut(await (await fetch(new URL("../../attach/page.js", import.meta.url))).text());
  return ExitStatus.ok;
}
