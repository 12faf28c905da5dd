import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { read, readable } from "../core/readable.ts";
import { clipped, shown, shownLines } from "../core/shown.ts";

/**
 * Option of zod for values that are checked a few times: it compiles no parser first, which takes longer than checking
 * the settings of a scenario.
 */
export const INTERPRETED = { jitless: true } as const;

/** Schema of sizes: 1, 2, 3, ... */
export const positiveInteger = z.int({ error: "expected a whole number" }).min(1, { error: "expected at least 1" });

/** Schema of numbers of steps and batches that the device counts in 32 bits: 1, 2, 3, ... */
export const deviceCount = positiveInteger.max(2 ** 32 - 1, { error: "expected at most 4294967295" });

/** Schema of counts: 0, 1, 2, ... */
export const nonNegativeInteger = z.int({ error: "expected a whole number" }).min(0, { error: "expected at least 0" });

/** Schema of durations in milliseconds. */
export const milliseconds = z.number({ error: "expected milliseconds" }).min(0, {
  error: "expected 0 or more milliseconds",
});

/**
 * Returns `value` parsed by the schema.
 *
 * @throws {InputError} with `place`, the path inside it, the value, what was expected and the nearest known key
 */
export function checked<S extends z.ZodType>(schema: S, value: unknown, place: string): z.output<S> {
  const plain: unknown = readable(value, place);
  const result = read(place, () => schema.safeParse(plain, INTERPRETED));
  if (result.success) return result.data;
  throw new InputError(shownLines(result.error.issues.flatMap((issue) => describeIssue(issue, plain, place, schema))));
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown, place: string, schema: z.ZodType): string[] {
  const path = place +
    issue.path.map((key) => typeof key === "number" ? `[${key}]` : `.${clipped(String(key))}`).join("");
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    return issue.keys.map((key) => `${path} has no "${clipped(key)}"${suggestion(key, known)}`);
  }
  const found = read(
    path,
    () => issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value),
  );
  return [`${path} is ${shown(found)}; ${issue.message}`];
}
