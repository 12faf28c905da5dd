/**
 * Rules of a sweep, which leave combinations out: by the variant's name, by values, or by a function of the values.
 *
 * @module
 */
import { matchesGlob } from "../core/glob.ts";
import { InputError } from "../core/errors.ts";
import { knownNames, suggestion } from "../core/nearest.ts";
import { clipped, reasonOf, shown } from "../core/shown.ts";
import { equal } from "./duplicates.ts";
import { isPlain, type Plain } from "./merge.ts";
import type { Problem } from "./problems.ts";
import { slugOf } from "./slug.ts";

/** A function of the values by key and of the variant's name. It declares the types of the values that it reads. */
type SelectingFunction = {
  // A method, so that the declared types may be narrower
  selects(values: Readonly<Record<string, unknown>>, name: string): boolean;
}["selects"];

/**
 * Selects combinations of a sweep: a variant's name or a pattern of names (`"*amp=O2*"`), values by key (a list means any
 * of them), or a function: `({ hidden }: { hidden: number }) => hidden > 128`.
 */
export type SweepRule = string | Readonly<Record<string, unknown>> | SelectingFunction;

/** Rules of a sweep. A combination stays if any of `include` selects it, or there are none, and none of `exclude` does. */
export interface SweepRules {
  readonly include: readonly SweepRule[];
  readonly exclude: readonly SweepRule[];
}

/** A combination of values. */
export interface Combination {
  /** Name of the variant. */
  readonly name: string;
  /** Values by key. */
  readonly values: Plain;
}

const EXPECTED = 'expected a pattern of names such as "*amp=O2*", values by key, or a function';

/** Returns the problems with the written rules at `path`. */
export function rulesProblems(written: unknown, path: readonly PropertyKey[]): Problem[] {
  return listOf(written).flatMap((rule, i) => {
    const known = (typeof rule === "string" && rule !== "") || typeof rule === "function" ||
      (isPlain(rule) && Object.keys(rule).length > 0);
    return known ? [] : [{ path: Array.isArray(written) ? [...path, i] : path, message: EXPECTED }];
  });
}

/** Returns the rules of a checked sweep. */
export function rulesOf({ include, exclude }: Plain): SweepRules {
  return { include: listOf(include ?? []) as SweepRule[], exclude: listOf(exclude ?? []) as SweepRule[] };
}

function listOf(written: unknown): readonly unknown[] {
  return Array.isArray(written) ? written : [written];
}

/** Keys that rules may name, and whether a rule must select some combination. */
export interface RuleScope {
  /** Keys of the axes. */
  readonly keys: readonly string[];
  /** All values of all axes are there, so that a rule that selects nothing is a mistake. */
  readonly whole: boolean;
}

/**
 * Returns the combinations that the rules leave.
 *
 * @throws {InputError} if a rule names an unknown key, selects nothing, or throws, or if no combination is left
 */
export function applyRules<C extends Combination>(
  all: readonly C[],
  { include, exclude }: SweepRules,
  scope: RuleScope,
): C[] {
  const select = (key: string, rules: readonly SweepRule[]) => {
    const selected = new Set<C>();
    rules.forEach((rule, i) => {
      for (const one of selectedBy(rule, `sweep.${key}[${i}]`, all, scope)) selected.add(one);
    });
    return selected;
  };
  const included = include.length === 0 ? new Set(all) : select("include", include);
  const excluded = select("exclude", exclude);
  const left = all.filter((one) => included.has(one) && !excluded.has(one));
  if (left.length === 0) throw new InputError("sweep: include and exclude leave no combination");
  return left;
}

function selectedBy<C extends Combination>(rule: SweepRule, place: string, all: readonly C[], scope: RuleScope): C[] {
  const selects = selector(rule, place, scope);
  const selected = all.filter(selects);
  if (selected.length > 0 || typeof rule === "function" || !scope.whole) return selected;
  const names = knownNames(all.map(({ name }) => name));
  throw new InputError(`${place}: ${shown(rule)} selects no combination${names}`);
}

function selector(rule: SweepRule, place: string, { keys }: RuleScope): (combination: Combination) => boolean {
  if (typeof rule === "string") return ({ name }) => matchesGlob(rule, name);
  if (typeof rule === "function") return (combination) => answerOf(rule, place, combination);
  const wanted = Object.entries(rule).map(([key, value]) => {
    const name = key.startsWith("params.") ? key.slice("params.".length) : key;
    if (!keys.includes(name)) {
      throw new InputError(`${place}.${clipped(key)}: not an axis of this sweep${suggestion(name, keys)}`);
    }
    return { name, values: Array.isArray(value) ? value as unknown[] : [value] };
  });
  return (combination) =>
    wanted.every(({ name, values }) => values.some((value) => same(value, combination.values[name])));
}

/** Compares values, or how names show them: `"O2"` equals `{ level: "O2" }`. */
function same(a: unknown, b: unknown): boolean {
  return equal(a, b) || slugOf(a) === slugOf(b);
}

function answerOf(rule: SelectingFunction, place: string, one: Combination): boolean {
  let answer: unknown;
  try {
    answer = rule(one.values, one.name);
  } catch (error) {
    throw new InputError(`${place}: ${reasonOf(error)}, for ${one.name}`, { cause: error });
  }
  if (typeof answer === "boolean") return answer;
  throw new InputError(
    `${place}: expected a function that returns true or false, got ${shown(answer)} for ${one.name}`,
  );
}
