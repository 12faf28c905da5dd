/**
 * Names as text of one line. Layers, ranges and threads are called what their owners like, and a report must stand it.
 *
 * @module
 */
import stringWidth from "string-width";
import { printable } from "../core/printable.ts";

export { printable } from "../core/printable.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The text in at most `width` columns; what is left out of its middle is a `…`. */
export function shorten(text: string, width: number): string {
  // Combining marks take no column, but they must not pile up either
  const characters = [
    ...text.length > 8 * width ? whole(text.slice(0, 4 * width)) + "…" + whole(text.slice(-4 * width)) : text,
  ];
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

/** Without the halves of characters that a cut left at the ends. */
function whole(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, "");
}

/** The beginning of the text in at most `width` columns, with a `…` where something is left out. */
export function clip(text: string, width: number): string {
  const characters = text.length > 8 * width ? whole(text.slice(0, 8 * width)) : text;
  if (characters === text && stringWidth(text) <= width) return text;
  let kept = "";
  for (const { segment } of graphemes.segment(characters)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A name for a table: printable, and no longer than `width`. */
export function nameText(name: string, width: number): string {
  return shorten(printable(name), width);
}

/** Names are cut at this width within sentences. */
const NAME_IN_PROSE = 60;

/** A name within a sentence: printable, of bounded length, and in quotes where nothing could be seen of it. */
export function nameInProse(name: string): string {
  return name.trim() === "" ? `"${printable(name)}"` : nameText(name, NAME_IN_PROSE);
}

/** More things than this are not listed within a sentence. */
const MOST_IN_PROSE = 12;

/** Names within a sentence; of more than `most` only their number is told. */
export function namesInProse(names: readonly string[], most = MOST_IN_PROSE): string {
  return listInProse(names.map(nameInProse), most);
}

/**
 * What is told of variants: `baseline 30, sink 6`, or once where it is the same for all.
 *
 * @param all how many variants there are, where it may be told once
 */
export function perVariant(facts: readonly (readonly [name: string, fact: string])[], all = 0): string {
  const [first] = facts;
  const same = facts.length > 1 && facts.length === all && facts.every(([, fact]) => fact === first![1]);
  return same
    ? `${first![1]} for each`
    : listInProse(facts.map(([name, fact]) => `${nameInProse(name)} ${fact}`), MOST_IN_PROSE);
}

function listInProse(words: readonly string[], most: number): string {
  const shown = words.slice(0, most).join(", ");
  return words.length > most ? `${shown} and ${words.length - most} more` : shown;
}
