/**
 * Text and numbers in LaTeX.
 *
 * @module
 */
import { printable } from "../plain_text.ts";

const SPECIAL: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  "$": "\\$",
  "&": "\\&",
  "#": "\\#",
  "%": "\\%",
  "_": "\\_",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  '"': "\\textquotedbl{}",
  "'": "\\textquotesingle{}",
  "`": "\\textasciigrave{}",
  "-": "{-}",
  "×": "$\\times$",
  "±": "$\\pm$",
  "µ": "$\\mu$",
  "–": "--",
  "…": "\\dots{}",
};

/** Returns text of any characters for LaTeX. Those that pdfLaTeX's fonts have not are shown by their code points. */
export function latexText(text: string): string {
  return [...printable(text)].map((character) => {
    const special = SPECIAL[character];
    if (special !== undefined) return special;
    return /^[ -~À-ÖØ-öø-ž]$/u.test(character) ? character : codePoint(character);
  }).join("");
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Placeholder for a number that was not measured. */
export const MISSING = "--";

/** Largest number of decimals. */
const MAX_DECIMALS = 6;

/** Returns a number for siunitx: `\num{1.08}`. */
export function latexNumber(value: number, digits: number): string {
  return Number.isFinite(value) ? `\\num{${value.toFixed(digits)}}` : latexText(String(value));
}

/** Returns a number of three significant digits for siunitx. */
export function latexFigure(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return latexNumber(value, 0);
  return latexNumber(value, decimalsFor(value, 3));
}

/**
 * Returns a number with its uncertainty for siunitx, rounded to two digits of the uncertainty: `\num{140.3 +- 2.1}`. Without
 * an uncertainty, three significant digits.
 */
export function latexUncertain(value: number, uncertainty: number | null): string {
  if (uncertainty === null || uncertainty <= 0 || !Number.isFinite(uncertainty)) return latexFigure(value);
  const digits = decimalsFor(uncertainty, 2);
  return `\\num{${value.toFixed(digits)} +- ${uncertainty.toFixed(digits)}}`;
}

/** Returns the number of decimals that shows `significant` digits of a value. */
function decimalsFor(value: number, significant: number): number {
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  return Math.min(MAX_DECIMALS, Math.max(0, significant - 1 - exponent));
}
