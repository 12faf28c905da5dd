/**
 * Comparison of what two arms have computed. An output is data as JSON has it, with arrays of numbers and bytes: text is
 * compared by the numbers in it.
 *
 * @module
 */

/** Largest accepted difference of two numbers: `absolute` + `relative` of the baseline's. */
export interface OutputTolerance {
  readonly relative: number;
  readonly absolute: number;
}

export const EXACT: OutputTolerance = { relative: 0, absolute: 0 };

/** First difference between two outputs. */
export interface OutputDifference {
  /** Place in the output, such as `[3][17]`, `logits.shape[1]` or `line 4`. */
  readonly where: string;
  /** Values there, as text. */
  readonly value: string;
  readonly baseline: string;
}

/** Characters of a value in a difference. */
const SHOWN = 40;

/** Keys that are compared before others, since they explain differences in those. */
const FIRST_KEYS = ["shape", "dims", "size", "dtype", "type"];

/** Numbers in a text. */
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?\b(?:nan|inf(?:inity)?)\b/gi;

/**
 * Returns the first difference between an output and the baseline's; null where there is none. In arrays of numbers,
 * `relative` is of the baseline's number or of the root mean square of its array, whichever is larger, so that values near
 * zero are not compared with themselves.
 */
export function outputDifference(
  own: unknown,
  baseline: unknown,
  tolerance: OutputTolerance,
  where = "",
): OutputDifference | null {
  const differs = (place = where) => ({ where: place, value: shortOf(own), baseline: shortOf(baseline) });
  if (typeof own === "number" && typeof baseline === "number") {
    return isClose(own, baseline, tolerance, Math.abs(baseline)) ? null : differs();
  }
  if (typeof own === "string" && typeof baseline === "string") return textDifference(own, baseline, tolerance, where);
  if (isList(own) && isList(baseline)) return listDifference(own, baseline, tolerance, where);
  if (isRecord(own) && isRecord(baseline)) {
    const rank = (key: string) => (FIRST_KEYS.indexOf(key) + FIRST_KEYS.length + 1) % (FIRST_KEYS.length + 1);
    const keys = [...new Set([...Object.keys(baseline), ...Object.keys(own)])].sort((a, b) => rank(a) - rank(b));
    for (const key of keys) {
      const difference = outputDifference(own[key], baseline[key], tolerance, where === "" ? key : `${where}.${key}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  return Object.is(own, baseline) ? null : differs();
}

type List = readonly unknown[] | (ArrayLike<number> & ArrayBufferView);

function listDifference(own: List, baseline: List, tolerance: OutputTolerance, where: string): OutputDifference | null {
  const scale = rootMeanSquare(baseline);
  const shared = Math.min(own.length, baseline.length);
  for (let i = 0; i < shared; i++) {
    const [a, b] = [own[i], baseline[i]];
    if (typeof a === "number" && typeof b === "number") {
      if (isClose(a, b, tolerance, Math.max(Math.abs(b), scale))) continue;
      return { where: `${where}[${i}]`, value: shortOf(a), baseline: shortOf(b) };
    }
    const difference = outputDifference(a, b, tolerance, `${where}[${i}]`);
    if (difference !== null) return difference;
  }
  if (own.length === baseline.length) return null;
  return { where: `${where}.length`, value: String(own.length), baseline: String(baseline.length) };
}

function textDifference(
  own: string,
  baseline: string,
  tolerance: OutputTolerance,
  where: string,
): OutputDifference | null {
  if (own === baseline) return null;
  const [lines, others] = [own, baseline].map((text) => text.split("\n")) as [string[], string[]];
  const at = (line: number) => `${where === "" ? "" : `${where}, `}line ${line + 1}`;
  for (let i = 0; i < Math.min(lines.length, others.length); i++) {
    const [line, other] = [lines[i]!, others[i]!];
    if (line === other) continue;
    const [words, otherWords] = [line, other].map((text) => text.split(NUMBER)) as [string[], string[]];
    const [numbers, otherNumbers] = [line, other].map((text) => [...text.match(NUMBER) ?? []]) as [string[], string[]];
    const isSame = words.length === otherWords.length && words.every((word, k) => word === otherWords[k]);
    const wrong = numbers.findIndex((text, k) => {
      const [a, b] = [numberOf(text), numberOf(otherNumbers[k] ?? "")];
      return !isClose(a, b, tolerance, Math.abs(b)) || (Number.isNaN(a) && Number.isNaN(b) && text !== otherNumbers[k]);
    });
    if (isSame && wrong >= 0) return { where: at(i), value: numbers[wrong]!, baseline: otherNumbers[wrong]! };
    if (!isSame) return { where: at(i), value: shortOf(line), baseline: shortOf(other) };
  }
  if (lines.length === others.length) return null;
  const line = Math.min(lines.length, others.length);
  const end = "the end";
  return {
    where: at(line),
    value: line < lines.length ? shortOf(lines[line]) : end,
    baseline: line < others.length ? shortOf(others[line]) : end,
  };
}

/** Returns true for two numbers that are close, equal, or both NaN. */
function isClose(own: number, baseline: number, { relative, absolute }: OutputTolerance, scale: number): boolean {
  if (Object.is(own, baseline) || own === baseline) return true;
  return Math.abs(own - baseline) <= absolute + relative * (Number.isFinite(scale) ? scale : 0);
}

/** Root mean square of the finite numbers of a list; 0 without any. */
function rootMeanSquare(list: List): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    sum += value * value;
    count++;
  }
  return count === 0 ? 0 : Math.sqrt(sum / count);
}

function numberOf(text: string): number {
  return Number(text.toLowerCase().replace(/inf(inity)?/, "Infinity"));
}

function shortOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (isList(value)) return `${value.length} values`;
  const text = typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function isList(value: unknown): value is List {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !isList(value);
}
