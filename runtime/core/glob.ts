/** Returns true if a text has wildcards: `*` or `?`. */
export function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}

/** Returns true if a text matches a pattern, in which `*` matches any characters and `?` matches one. */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, i] = [0, 0];
  /** Place after the last `*`, and where its match ends so far. */
  let star: { readonly next: number; end: number } | null = null;
  while (i < text.length) {
    if (pattern[at] === "*") {
      star = { next: ++at, end: i };
    } else if (pattern[at] === "?" || pattern[at] === text[i]) {
      at++;
      i++;
    } else if (star !== null) {
      at = star.next;
      i = ++star.end;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
