// @ts-types="../../types/closest_string.d.ts"
import { closestString } from "@std/text/closest-string";
// @ts-types="../../types/levenshtein_distance.d.ts"
import { levenshteinDistance } from "@std/text/levenshtein-distance";

/**
 * The name of `known` that `name` was probably meant to be, or `undefined` when nothing is close: an edit distance of
 * at most a third of the longer word, or a common beginning.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const best = closestString(name, known, { caseSensitive: false });
  const [a, b] = [name.toLowerCase(), best.toLowerCase()];
  if (a.length >= 3 && (b.startsWith(a) || a.startsWith(b))) return best;
  return levenshteinDistance(a, b) <= Math.ceil(Math.max(a.length, b.length) / 3) ? best : undefined;
}

/** `; did you mean "sink"?` or a list of what is known: the end of a message about an unknown name. */
export function suggestion(name: string, known: readonly string[]): string {
  const close = nearest(name, known);
  if (close !== undefined) return `; did you mean "${close}"?`;
  return known.length === 0 ? "" : `; known: ${known.join(", ")}`;
}
