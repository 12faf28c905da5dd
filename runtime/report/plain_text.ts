/**
 * Names as single lines of text. Users name layers, ranges and threads freely, so names are escaped and shortened.
 *
 * @module
 */
import { printable } from "../core/printable.ts";
import { graphemesOf, textWidth } from "./text_width.ts";

export { printable } from "../core/printable.ts";

/** Shortens text to at most `width` columns, replacing its middle with `…`. */
export function shorten(text: string, width: number): string {
  // Combining marks take no column, but their number must be bounded too
  const characters = [
    ...text.length > 8 * width ? whole(text.slice(0, 4 * width)) + "…" + whole(text.slice(-4 * width)) : text,
  ];
  if (characters.length <= 2 * width && textWidth(text) <= width) return text;
  const back = Math.ceil((width - 1) * 0.6);
  const take = (source: readonly string[], columns: number) => {
    let taken = 0;
    let used = 0;
    for (const character of source) {
      used += textWidth(character);
      if (used > columns || taken >= 2 * columns) break;
      taken++;
    }
    return taken;
  };
  const head = take(characters, width - 1 - back);
  const tail = take(characters.toReversed(), back);
  return characters.slice(0, head).join("") + "…" + characters.slice(characters.length - tail).join("");
}

/** Removes halves of surrogate pairs that a cut left at the ends. */
function whole(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, "");
}

/** Shortens text to at most `width` columns, replacing its end with `…`. */
export function clip(text: string, width: number): string {
  const characters = text.length > 8 * width ? whole(text.slice(0, 8 * width)) : text;
  if (characters === text && textWidth(text) <= width) return text;
  let kept = "";
  for (const segment of graphemesOf(characters)) {
    if (textWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Returns a printable name of at most `width` columns. */
export function nameText(name: string, width: number): string {
  return shorten(printable(name), width);
}

/** Widest name within a sentence. */
const NAME_IN_PROSE = 60;

/** Returns a name for a sentence: printable, shortened, and in quotes if it is blank. */
export function nameInProse(name: string): string {
  return name.trim() === "" ? `"${printable(name)}"` : nameText(name, NAME_IN_PROSE);
}

/** Largest number of names listed within a sentence. */
const MAX_IN_PROSE = 12;

/** Returns names for a sentence: `a, b and 3 more`. */
export function namesInProse(names: readonly string[], most = MAX_IN_PROSE): string {
  return listInProse(names.map(nameInProse), most);
}

/**
 * Returns facts by variant: `baseline 30, sink 6`, or `30 for each` where all variants share one.
 *
 * @param all number of variants; 0 always names them
 */
export function perVariant(facts: readonly (readonly [name: string, fact: string])[], all = 0): string {
  const [first] = facts;
  const same = facts.length > 1 && facts.length === all && facts.every(([, fact]) => fact === first![1]);
  return same
    ? `${first![1]} for each`
    : listInProse(facts.map(([name, fact]) => `${nameInProse(name)} ${fact}`), MAX_IN_PROSE);
}

function listInProse(words: readonly string[], most: number): string {
  const shown = words.slice(0, most).join(", ");
  return words.length > most ? `${shown} and ${words.length - most} more` : shown;
}
