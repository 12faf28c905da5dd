import type { CommandEntry } from "./commands/command.ts";

/** Returns the text of `tacho --help`: the commands by group, in at most 80 columns. */
export function overview(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  const groups = Map.groupBy(commands, ({ group }) => group);
  const lines = [...groups].flatMap(([group, members]) => [
    `${group}:`,
    ...members.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
  ]);
  return `Usage: tacho COMMAND [arguments]

Measures which variant or program is faster, by how much, and why.

${lines.join("\n")}

Help on a command: tacho COMMAND --help. On settings: tacho help settings [WORD]
A run is named by its ID, or a unique beginning or end of it; last is the latest
run, last~1 the one before it.
`;
}
