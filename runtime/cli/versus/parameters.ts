import { InputError } from "../../core/errors.ts";
import { isRange, parseRange } from "../../scenario/range.ts";

/** Values of parameters by name. */
export type Parameters = ReadonlyMap<string, readonly (string | number)[]>;

/** One value of each parameter. */
export type ParameterValues = Readonly<Record<string, string | number>>;

/**
 * Adds a parameter such as `n=1..4`, `n=1..9:2` or `compiler=gcc,clang`.
 *
 * @throws {InputError} if it has no name or no values, or has been given before
 */
export function parameterOf(text: string, earlier: Parameters = new Map()): Parameters {
  const { name, values } = /^(?<name>[A-Za-z_]\w*)=(?<values>.+)$/s.exec(text)?.groups ?? {};
  if (name === undefined || values === undefined) {
    throw new InputError(`--parameter: expected a name and its values, such as n=1..4 or mode=a,b, got "${text}"`);
  }
  if (earlier.has(name)) throw new InputError(`--parameter ${name}: is given twice`);
  return new Map([...earlier, [name, valuesOf(name, values)]]);
}

function valuesOf(name: string, text: string): readonly (string | number)[] {
  if (!isRange(text)) return text.split(",").map((value) => /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value);
  const range = parseRange(text);
  if ("problem" in range) throw new InputError(`--parameter ${name}=${text}: ${range.problem}`);
  return range.values;
}

/** Returns all combinations of the values; one without any parameter. */
export function combinations(parameters: Parameters): ParameterValues[] {
  return [...parameters].reduce<ParameterValues[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}

/** Replaces each `{name}` by its value. */
export function filled(text: string, values: ParameterValues): string {
  return Object.entries(values).reduce((line, [name, value]) => line.replaceAll(`{${name}}`, String(value)), text);
}
