/**
 * Ranges of numbers in overrides and sweeps: `8..32:8` adds the step, `16..256:x2` multiplies by the factor. Both ends are
 * included; a step that does not hit the second one stops before it.
 *
 * @module
 */

const NUMBER = String.raw`[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const RANGE = new RegExp(`^(${NUMBER})\\.\\.(${NUMBER})(?::(x?)(${NUMBER}))?$`, "i");
const ATTEMPT = new RegExp(String.raw`^${NUMBER}\.\.[+-]?\d`, "i");

/** Maximum number of values in a range. */
const MAX_VALUES = 10_000;

/** Significant digits of powers that are not integers, which hides rounding errors such as 0.0010000000000000002. */
const DIGITS = 14;

/** Part of a factor by which the second end may be missed because of rounding. */
const TOLERANCE = 1e-9;

/** Values of a range, or the reason why it has none, such as `expected a step other than 0`. */
export type Range = { readonly values: readonly number[] } | { readonly problem: string };

/** Returns true for a text that is meant to be a range: a number, two dots and a digit. */
export function isRange(text: string): boolean {
  return ATTEMPT.test(text);
}

/** Parses a text for which {@linkcode isRange} is true. */
export function parseRange(text: string): Range {
  const match = RANGE.exec(text);
  if (match === null) return { problem: "expected a range such as 1..4, 8..32:8 or 16..256:x2" };
  const [from, to] = [Number(match[1]), Number(match[2])];
  const by = match[4] === undefined ? null : Number(match[4]);
  if (![from, to, by ?? 0].every(Number.isFinite)) return { problem: "expected finite numbers" };
  return match[3] ? geometric(from, to, by!) : arithmetic(from, to, by);
}

/** Adds up steps in decimal, so that 0.1 is a tenth and no value has a rounding error. Without one, integers are 1 apart. */
function arithmetic(from: number, to: number, by: number | null): Range {
  if (by === null && !(Number.isInteger(from) && Number.isInteger(to))) {
    return { problem: `expected a step, such as ${from}..${to}:${rounded(Math.abs(to - from) / 4)}` };
  }
  const step = by ?? (to < from ? -1 : 1);
  if (step === 0) return { problem: "expected a step other than 0" };
  if ((to - from) / step < 0) {
    return { problem: `a step of ${step} does not lead from ${from} to ${to}; expected ${-step}` };
  }
  const places = Math.max(...[from, to, step].map(decimalPlaces));
  const [first, last, each] = [from, to, step].map((value) => scaled(value, places)) as [bigint, bigint, bigint];
  return listed(Number((last - first) / each) + 1, (i) => Number(`${first + BigInt(i) * each}e-${places}`));
}

/** Splits a number into an integer and a power of ten: 0.25 is 25 and -2. */
function decimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [, digits, exponent] = /^(.*)e(.*)$/.exec(value.toExponential()) as unknown as [string, string, string];
  const [, fraction = ""] = digits.split(".");
  return { digits: BigInt(digits.replace(".", "")), exponent: Number(exponent) - fraction.length };
}

function decimalPlaces(value: number): number {
  return Math.max(0, -decimal(value).exponent);
}

/** Returns the value times 10^places, an integer. */
function scaled(value: number, places: number): bigint {
  const { digits, exponent } = decimal(value);
  return digits * 10n ** BigInt(exponent + places);
}

function geometric(from: number, to: number, factor: number): Range {
  if (factor <= 0 || factor === 1) return { problem: "expected a factor above 0 other than 1" };
  if (from * to <= 0) return { problem: "a factor leads from one end to the other only if both have the same sign" };
  const steps = Math.log(to / from) / Math.log(factor);
  if (steps < 0) {
    return { problem: `a factor of ${factor} does not lead from ${from} to ${to}; expected ${rounded(1 / factor)}` };
  }
  return listed(Math.floor(steps + TOLERANCE) + 1, (i) => rounded(from * factor ** i));
}

function listed(length: number, valueAt: (i: number) => number): Range {
  if (length > MAX_VALUES) return { problem: `expected at most ${MAX_VALUES} values instead of ${length}` };
  return { values: Array.from({ length }, (_, i) => valueAt(i)) };
}

function rounded(value: number): number {
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(DIGITS));
}
