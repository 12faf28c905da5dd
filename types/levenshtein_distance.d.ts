// See closest_string.d.ts.

/** The number of insertions, deletions and substitutions that turn `str1` into `str2`. */
export function levenshteinDistance(str1: string, str2: string): number;
