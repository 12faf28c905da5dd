/**
 * Replaces the package `string-width` in the page's bundle: browsers wrap lines themselves, so texts are cut by their
 * number of characters.
 */
export default function textWidth(text: string): number {
  return [...text].length;
}
