/**
 * Columns of texts in a terminal. Most texts have simple characters only, so the package for others is evaluated when it
 * is first needed: its tables and regular expressions take 50 ms of processor time.
 *
 * @module
 */
import defer * as unicode from "string-width";

/** Printable ASCII, Latin letters, dashes, quotes, dots, arrows and box drawing, all one column wide and alone in it. */
const SIMPLE = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f]*$/;

let segmenter: Intl.Segmenter | null = null;

/** Returns the number of columns that a terminal shows a text in. */
export function textWidth(text: string): number {
  return SIMPLE.test(text) ? text.length : unicode.default(text);
}

/** Returns the graphemes of a text: what a reader sees as its characters. */
export function graphemesOf(text: string): string[] {
  if (SIMPLE.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
