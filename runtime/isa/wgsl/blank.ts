/**
 * Replaces comments by spaces, so that every character keeps its place. Comments between slashes and asterisks nest.
 */
export function withoutComments(code: string): string {
  let out = "";
  for (let at = 0; at < code.length;) {
    const end = commentEnd(code, at);
    out += end === at ? code[at] : spaces(code.slice(at, end));
    at = Math.max(end, at + 1);
  }
  return out;
}

/** Replaces everything but line ends by spaces. */
export function spaces(text: string): string {
  return text.replaceAll(/[^\n\r]/g, " ");
}

/** Returns the end of the comment that begins at `start`; `start` if none does. */
function commentEnd(code: string, start: number): number {
  if (code.startsWith("//", start)) {
    const end = code.indexOf("\n", start);
    return end < 0 ? code.length : end;
  }
  if (!code.startsWith("/*", start)) return start;
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    if (code.startsWith("/*", at)) depth++, at++;
    else if (code.startsWith("*/", at)) {
      at++;
      if (--depth === 0) return at + 1;
    }
  }
  return code.length;
}
