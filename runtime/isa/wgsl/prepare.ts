import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import { spaces, withoutComments } from "./blank.ts";

/** Extensions whose directive naga knows. */
const KNOWN: readonly string[] = ["f16"];

/** WGSL that the front end accepts. Every line keeps its number. */
export interface PreparedWgsl {
  readonly code: string;
  /** Directives that were removed: `enable subgroups`. The functions behind them may be known all the same. */
  readonly removed: readonly string[];
}

/** Values of override constants, by name or by `@id`. */
export type Overrides = Readonly<Record<string, number | boolean>>;

/**
 * Removes directives that naga lacks, and turns override constants into constants, as a pipeline with these values has
 * them.
 *
 * @throws {InputError} if an override has neither a value nor a default, or there is none of this name
 */
export function prepare(wgsl: string, overrides: Overrides = {}): PreparedWgsl {
  const { code, removed } = withoutDirectives(wgsl);
  return { code: withConstants(code, overrides), removed };
}

function withoutDirectives(wgsl: string): PreparedWgsl {
  const removed: string[] = [];
  let code = wgsl;
  for (const match of withoutComments(wgsl).matchAll(/(^|[;\s])(enable|requires)\s+([^;]*);/g)) {
    const [whole, before = "", directive, list = ""] = match;
    const names = list.split(",").map((name) => name.trim()).filter((name) => name !== "");
    const kept = directive === "enable" ? names.filter((name) => KNOWN.includes(name)) : [];
    removed.push(...names.filter((name) => !kept.includes(name)).map((name) => `${directive} ${name}`));
    const text = kept.length === 0 ? "" : `enable ${kept.join(", ")};`;
    const start = match.index + before.length;
    const length = whole.length - before.length;
    const rest = spaces(code.slice(start + Math.min(text.length, length), start + length));
    code = code.slice(0, start) + text + rest + code.slice(start + length);
  }
  return { code, removed };
}

function withConstants(wgsl: string, overrides: Overrides): string {
  const unused = new Set(Object.keys(overrides));
  const known: string[] = [];
  const pattern = /((?:@id\s*\(\s*(\d+)\s*\)\s*)?)\boverride\s+(\w+)\s*(?::\s*(\w+)\s*)?(?:=([^;]*))?;/g;
  let [code, at] = ["", 0];
  for (const match of withoutComments(wgsl).matchAll(pattern)) {
    const [whole, attribute = "", id, name = "", type, fallback] = match;
    known.push(name);
    const key = [name, id].find((key) => key !== undefined && Object.hasOwn(overrides, key));
    if (key !== undefined) unused.delete(key);
    if (key === undefined && fallback === undefined) {
      throw new InputError(`override ${name} has no value; give it one with --override ${name}=NUMBER`);
    }
    const value = key === undefined ? fallback!.trim() : literal(overrides[key]!, type ?? typeOf(fallback ?? ""));
    const lines = spaces(attribute).replaceAll(" ", "");
    code += `${wgsl.slice(at, match.index)}${lines}const ${name}${type === undefined ? "" : `: ${type}`} = ${value};`;
    at = match.index + whole.length;
  }
  const [first] = unused;
  if (first !== undefined) {
    throw new InputError(`--override ${first}: the code has no such override constant${suggestion(first, known)}`);
  }
  return code + wgsl.slice(at);
}

/** Guesses the type of an override from its default. */
function typeOf(fallback: string): string {
  const text = fallback.trim();
  if (/^(true|false)$/.test(text)) return "bool";
  if (/u$/.test(text)) return "u32";
  return /[.fh]|\de/.test(text) ? "f32" : "i32";
}

/** Writes a value as WebGPU converts it to the type. */
function literal(value: number | boolean, type: string): string {
  if (type === "bool") return String(Boolean(value));
  const number = Number(value);
  return /^[iu]32$/.test(type)
    ? `${type}(${Math.trunc(number)})`
    : `${type}(${Number.isInteger(number) ? `${number}.0` : number})`;
}
