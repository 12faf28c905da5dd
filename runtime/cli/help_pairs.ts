import { wrap } from "../report/wrap.ts";

/**
 * Formats two columns of help. If the left texts take more than half of the width, each gets its own line, unbroken.
 *
 * @param least minimum width of the left column
 */
export function helpPairs(entries: readonly (readonly [string, string])[], least: number, width: number): string[] {
  const longest = Math.max(...entries.map(([left]) => left.length)) + 2;
  const indent = Math.max(least, longest);
  if (indent > width / 2) return entries.flatMap(([left, right]) => [left, ...wrap(`    ${right}`, width - 2, 4)]);
  return entries.flatMap(([left, right]) => wrap(left.padEnd(indent) + right, width - 2, indent));
}

/** Formats a section of help: a title above indented lines. */
export function helpSection(title: string, lines: readonly string[]): string {
  return `\n${title}:\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n`;
}
