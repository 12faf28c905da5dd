/**
 * Text that is not ours, made safe to print. The command line writes all of its output through `printableLines`; what is
 * laid out, such as the cells of a table, is escaped by `printable` before its width is known.
 *
 * @module
 */

/**
 * Characters that are unsafe to print: controls, line ends, marks that change the writing direction, invisible ones, lone
 * surrogates, and unassigned code points, whose width is unknown. Selectors of emoji are safe.
 */
const UNPRINTABLE = /[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\ufe0e\ufe0f]]/gv;

const UNPRINTABLE_IN_LINES = new RegExp(`[${UNPRINTABLE.source}--[\\n\\t]]`, "gv");

/** Styles that Tacho's own text has. */
const STYLE = new RegExp("\x1b\\[(?:1|2|22|3[1-6]|39)m", "g");

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Returns the text as one line. Characters that could move a terminal's cursor are escaped, as `\n` or `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => SHORT_ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/**
 * Escapes like {@linkcode printable}, but keeps the line breaks and tabs of the text.
 *
 * @param styles keeps the colours and weights that Tacho's own output has
 */
export function printableLines(text: string, { styles = false } = {}): string {
  if (styles) {
    const kept = text.match(STYLE) ?? [];
    return text.split(STYLE).map((part, i) => printableLines(part) + (kept[i] ?? "")).join("");
  }
  return text.replaceAll("\r\n", "\n").replace(UNPRINTABLE_IN_LINES, printable);
}

/**
 * Formats a value as JSON that is safe to print. The escapes change no value.
 *
 * @param indent spaces per level; 0 for a single line
 */
export function printableJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(
    UNPRINTABLE_IN_LINES,
    (character) =>
      Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`)
        .join(""),
  );
}
