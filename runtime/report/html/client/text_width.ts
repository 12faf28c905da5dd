/**
 * Replaces `report/text_width.ts` in the page's bundle: browsers wrap lines themselves, so texts are cut by their number of
 * characters.
 *
 * @module
 */
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Returns the number of a text's characters. */
export function textWidth(text: string): number {
  return [...text].length;
}

/** Returns the graphemes of a text. */
export function graphemesOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
