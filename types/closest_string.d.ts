// deno-std repackages Deno's standard library for npm without its types; this is the part that is used here.

/** Finds the string of `possibleWords` with the smallest edit distance to `givenWord`. */
export function closestString(
  givenWord: string,
  possibleWords: readonly string[],
  options?: { caseSensitive?: boolean; compareFn?: (a: string, b: string) => number },
): string;
