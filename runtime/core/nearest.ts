// @ts-types="../../types/closest_string.d.ts"
import { closestString } from "@std/text/closest-string";
// @ts-types="../../types/levenshtein_distance.d.ts"
import { levenshteinDistance } from "@std/text/levenshtein-distance";
import { clipped } from "./shown.ts";

/** Length from which no name is close to a known one, since the distance takes time by the product of the lengths. */
const LONGEST = 200;
/** Known names in a message. */
const NAMES = 30;

/**
 * Returns the name in `known` that `name` probably means, or `undefined` if none is close. Close means an edit distance
 * of at most a third of the longer word, or a common prefix.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || name.length > LONGEST) return undefined;
  const a = name.toLowerCase();
  const best = closestString(name, known, { caseSensitive: false });
  const b = best.toLowerCase();
  if (levenshteinDistance(a, b) <= Math.ceil(Math.max(a.length, b.length) / 3)) return best;
  if (a.length < 3) return undefined;
  const alike = known.filter((other) => other.toLowerCase().startsWith(a) || a.startsWith(other.toLowerCase()));
  return alike.length === 0 ? undefined : closestString(name, alike, { caseSensitive: false });
}

/** Ends a message about an unknown name: `; did you mean "sink"?`, or a list of the known names. */
export function suggestion(name: string, known: readonly string[]): string {
  const close = nearest(name, known);
  return close === undefined ? knownNames(known) : `; did you mean "${clipped(close)}"?`;
}

/** Ends a message with the known names: `; known: a, b and 7 more`. */
export function knownNames(known: readonly string[]): string {
  const others = known.length - NAMES;
  const names = known.slice(0, NAMES).map((one) => clipped(one)).join(", ");
  return known.length === 0 ? "" : `; known: ${names}${others > 0 ? ` and ${others} more` : ""}`;
}
