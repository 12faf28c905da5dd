import { withoutComments } from "./blank.ts";

/** A line of WGSL without comments. */
export interface CodeLine {
  /** Number of the line, from 1. */
  readonly number: number;
  readonly text: string;
  /** Loops around the end of the line. */
  readonly depth: number;
}

/** Splits WGSL into lines, and counts the loops around each. */
export function codeLines(wgsl: string): CodeLine[] {
  const depths: boolean[] = []; // of each open brace, whether it is a loop's
  let pending = false;
  let parentheses = 0;
  return withoutComments(wgsl).split("\n").map((text, i) => {
    let deepest = depths.filter(Boolean).length;
    for (const [token] of text.matchAll(/\b(?:for|while|loop)\b|[{}()]/g)) {
      if (token === "(") parentheses++;
      else if (token === ")") parentheses--;
      else if (token === "{") {
        depths.push(pending && parentheses === 0);
        pending = false;
      } else if (token === "}") depths.pop();
      else pending = true;
      deepest = Math.max(deepest, depths.filter(Boolean).length);
    }
    return { number: i + 1, text, depth: deepest };
  });
}

/** Returns the number of the first line that matches, in the deepest loops first; null if none does. */
export function lineOf(lines: readonly CodeLine[], pattern: RegExp, least = 0): number | null {
  const found = lines.filter(({ text, depth }) => depth >= least && pattern.test(text));
  return found.toSorted((a, b) => b.depth - a.depth || a.number - b.number)[0]?.number ?? null;
}

/** Returns the names of variables whose declaration matches: `var<workgroup> tile: array<f32, 64>`. */
export function namesOf(lines: readonly CodeLine[], declaration: RegExp): string[] {
  return lines.flatMap(({ text }) => [...text.matchAll(declaration)].map((match) => match[1]!));
}
