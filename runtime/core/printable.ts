/**
 * What has no place in a line: controls, ends of lines, marks that turn the direction of writing, halves of characters,
 * and characters that nobody has assigned, whose width is anyone's guess.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text as one line, with all that could move a terminal's cursor written out, as `\n` or `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => SHORT_ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** As {@linkcode printable}, of a text whose own lines stay lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/**
 * Returns JSON that a terminal can show: what could move its cursor is escaped, which changes no value.
 *
 * @param indent spaces per level; 0 for a single line
 */
export function printableJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, null, indent);
  return text.replace(
    /[^\n\P{C}]|[\u2028\u2029]/gu,
    (character) =>
      Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`)
        .join(""),
  );
}
