/**
 * Sweeps: all combinations of axes, each a setting with its values or several settings that change together, without those
 * that rules leave out.
 *
 * @module
 */
import { z } from "zod";
import { isPlain, type Plain } from "./merge.ts";
import type { Problem } from "./problems.ts";
import { isRange, parseRange } from "./range.ts";
import { rulesOf, rulesProblems, type SweepRules } from "./sweep_rules.ts";

/** Values by path. The lists of an axis have equal lengths, and their n-th values are used together. */
export type SweepAxis = Readonly<Record<string, readonly unknown[]>>;

/** Axes of a sweep in the order in which they are written, and the rules for their combinations. */
export interface Sweep {
  readonly axes: readonly SweepAxis[];
  readonly rules: SweepRules;
}

/** Key of settings that change together. */
const ZIP = "zip";

/** Keys of rules. */
const RULES: readonly string[] = ["include", "exclude"];

const EXPECTED = 'expected a list of values, or a range such as "16..256:x2"';

const values = z.array(z.unknown(), { error: EXPECTED }).min(1, { error: "expected at least one value" });
const lists = z.record(z.string(), values, { error: "expected lists of values by key" });

const SHAPE = 'expected lists of values by key, such as { amp: ["O0", "O2"] }';

/** Checks the structure of a sweep; {@linkcode sweepOf} returns its parts. */
export const sweepSchema = z.custom<Plain>(isPlain, { error: SHAPE }).superRefine((sweep, context) => {
  for (const { path, message } of problemsOf(sweep)) context.addIssue({ code: "custom", path: [...path], message });
});

function problemsOf(sweep: Plain): Problem[] {
  const axes = Object.keys(sweep).filter((key) => !RULES.includes(key));
  const problems = Object.entries(sweep).flatMap(([key, value]): Problem[] => {
    if (RULES.includes(key)) return rulesProblems(value, [key]);
    if (key !== ZIP) return valuesProblems(value, [key]);
    const zips = Array.isArray(value) ? value : [value];
    return zips.flatMap((zip, i) => zipProblems(zip, Array.isArray(value) ? [ZIP, i] : [ZIP]));
  });
  return axes.length === 0 && axes.length < Object.keys(sweep).length
    ? [...problems, { path: [], message: 'expected an axis beside its rules, such as amp: ["O0", "O2"]' }]
    : problems;
}

function valuesProblems(value: unknown, path: readonly PropertyKey[]): Problem[] {
  if (typeof value !== "string" || !isRange(value)) return issues(values, value, path);
  const range = parseRange(value);
  return "problem" in range ? [{ path, message: range.problem }] : [];
}

function zipProblems(zip: unknown, path: readonly PropertyKey[]): Problem[] {
  if (!isPlain(zip)) return issues(lists, zip, path);
  const found = Object.entries(zip).flatMap(([key, value]) => valuesProblems(value, [...path, key]));
  return found.length > 0 ? found : unequal(axisOf(zip), path);
}

function issues(schema: z.ZodType, value: unknown, path: readonly PropertyKey[]): Problem[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map((issue) => ({ path: [...path, ...issue.path], message: issue.message }));
}

function unequal(zip: SweepAxis, path: readonly PropertyKey[]): Problem[] {
  const lengths = Object.entries(zip).map(([key, { length }]) => `${key} ${length}`);
  if (lengths.length === 0) return [{ path, message: "expected at least one list of values" }];
  if (new Set(Object.values(zip).map(({ length }) => length)).size === 1) return [];
  return [{
    path,
    message: `expected lists of equal length, got ${lengths.join(", ")}`,
  }];
}

/** Returns the parts of a checked sweep. */
export function sweepOf(sweep: Plain): Sweep {
  const axes = Object.entries(sweep).flatMap(([key, value]): SweepAxis[] => {
    if (RULES.includes(key)) return [];
    if (key !== ZIP) return [axisOf({ [key]: value })];
    return (Array.isArray(value) ? value as Plain[] : [value as Plain]).map(axisOf);
  });
  return { axes, rules: rulesOf(sweep) };
}

/** Expands ranges. */
function axisOf(written: Plain): SweepAxis {
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => {
      const range = typeof value === "string" ? parseRange(value) : { values: value as readonly unknown[] };
      return [key, "values" in range ? range.values : []];
    }),
  );
}
