/**
 * Names as text of one line. Layers, ranges and threads are called what their owners like, and a report must stand it.
 *
 * @module
 */
import stringWidth from "string-width";

/** What has no place in a line: controls, ends of lines, marks that turn the direction of writing, halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text with all that could move the cursor written out, as `\n` or `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => SHORT_ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** The text in at most `width` columns; what is left out of its middle is a `…`. */
export function shorten(text: string, width: number): string {
  // Combining marks take no column, but they must not pile up either
  const characters = [...text.length > 8 * width ? text.slice(0, 4 * width) + "…" + text.slice(-4 * width) : text];
  if (characters.length <= 2 * width && stringWidth(text) <= width) return text;
  const back = Math.ceil((width - 1) * 0.6);
  const take = (source: readonly string[], columns: number) => {
    let taken = 0;
    let used = 0;
    for (const character of source) {
      used += stringWidth(character);
      if (used > columns || taken >= 2 * columns) break;
      taken++;
    }
    return taken;
  };
  const head = take(characters, width - 1 - back);
  const tail = take(characters.toReversed(), back);
  return characters.slice(0, head).join("") + "…" + characters.slice(characters.length - tail).join("");
}

/** A name for a table: printable, and no longer than `width`. */
export function nameText(name: string, width: number): string {
  return shorten(printable(name), width);
}
