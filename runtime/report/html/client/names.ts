import { nameText as plainName } from "../../plain_text.ts";

/** Marks beyond the third on one letter, which would pile up over other lines. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;

/** Longest name that the page shows in full. */
const LONGEST = 96;

/** Returns a printable name of at most `longest` characters, `(no name)` if it is empty. */
export function nameText(name: string, longest = LONGEST): string {
  return plainName(name.replace(PILED_MARKS, "$1"), longest) || "(no name)";
}
