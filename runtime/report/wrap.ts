import { printable, shorten } from "./plain_text.ts";
import { graphemesOf, textWidth } from "./text_width.ts";

/** Largest number of lines of a word; longer words are cut in the middle. */
const LINES_OF_A_WORD = 4;

/**
 * Wraps `text` at spaces into lines of at most `width` columns; all but the first are indented. Line breaks in the text
 * are kept; other control characters are escaped.
 */
export function wrap(text: string, width: number, indent = 2): string[] {
  const lines: string[] = [];
  const room = Math.max(8, width - indent);
  for (const paragraph of text.split("\n")) {
    let line = lines.length === 0 ? "" : " ".repeat(indent);
    let fresh = true;
    for (const word of printable(paragraph).split(" ").flatMap((word) => fitting(word, room))) {
      const longer = fresh ? line + word : `${line} ${word}`;
      if (!fresh && textWidth(longer) > width) {
        lines.push(line);
        line = " ".repeat(indent) + word;
      } else {
        line = longer;
      }
      fresh = false;
    }
    lines.push(line);
  }
  return lines;
}

/** Splits a word into a bounded number of pieces of at most `width` columns. */
function fitting(word: string, width: number): string[] {
  if (word.length <= width && textWidth(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = "";
  for (const segment of graphemesOf(shorten(word, LINES_OF_A_WORD * width))) {
    if (piece !== "" && textWidth(piece + segment) > width) {
      pieces.push(piece);
      piece = "";
    }
    piece += segment;
  }
  return [...pieces, piece];
}
