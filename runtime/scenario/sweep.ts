/**
 * Sweeps: all combinations of axes, each a setting with its values or several settings that change together.
 *
 * @module
 */
import { z } from "zod";
import { isPlain, type Plain } from "./merge.ts";
import type { Problem } from "./problems.ts";

/** Values by path. The lists of an axis have equal lengths, and their n-th values are used together. */
export type SweepAxis = Readonly<Record<string, readonly unknown[]>>;

/** Key of settings that change together. */
const ZIP = "zip";

const values = z.array(z.unknown(), { error: "expected a list of values" })
  .min(1, { error: "expected at least one value" });
const lists = z.record(z.string(), values, { error: "expected lists of values by key" });

const SHAPE = 'expected lists of values by key, such as { amp: ["O0", "O2"] }';

/** Checks the structure of a sweep; {@linkcode sweepAxes} returns its axes. */
export const sweepSchema = z.custom<Plain>(isPlain, { error: SHAPE }).superRefine((sweep, context) => {
  for (const { path, message } of problemsOf(sweep)) context.addIssue({ code: "custom", path: [...path], message });
});

function problemsOf(sweep: Plain): Problem[] {
  return Object.entries(sweep).flatMap(([key, value]): Problem[] => {
    if (key !== ZIP) return issues(values, value, [key]);
    const zips = Array.isArray(value) ? value : [value];
    return zips.flatMap((zip, i) => {
      const path = Array.isArray(value) ? [ZIP, i] : [ZIP];
      const found = issues(lists, zip, path);
      return found.length > 0 ? found : unequal(zip as SweepAxis, path);
    });
  });
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

/** Returns the axes of a checked sweep in the order in which they are written. */
export function sweepAxes(sweep: Plain): SweepAxis[] {
  return Object.entries(sweep).flatMap(([key, value]): SweepAxis[] => {
    if (key !== ZIP) return [{ [key]: value as unknown[] }];
    return (Array.isArray(value) ? value : [value]) as SweepAxis[];
  });
}
