/** What has no place in a line of text: controls, ends of lines, marks that turn the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** More marks on one letter only pile up. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;

/** Longest name that a page shows in full. */
const LONGEST = 96;

/** A name as text of one line, what could turn or break it written out as `\u{202e}`, its middle left out if long. */
export function nameText(name: string, longest = LONGEST): string {
  const near = name.length > 20 * longest ? name.slice(0, 10 * longest) + name.slice(-10 * longest) : name;
  const visible = near.replace(PILED_MARKS, "$1")
    .replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  const characters = [...visible];
  if (characters.length <= longest) return visible === "" ? "(no name)" : visible;
  const back = Math.ceil(longest * 0.6);
  return `${characters.slice(0, longest - back - 1).join("")}…${characters.slice(-back).join("")}`;
}
