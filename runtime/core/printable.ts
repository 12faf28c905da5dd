/**
 * Characters that are unsafe to print: controls, line ends, marks that change the writing direction, lone surrogates, and
 * unassigned code points, whose width is unknown.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Returns the text as one line. Characters that could move a terminal's cursor are escaped, as `\n` or `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => SHORT_ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** Escapes like {@linkcode printable}, but keeps the line breaks of the text. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/**
 * Formats a value as JSON that is safe to print. The escapes change no value.
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
