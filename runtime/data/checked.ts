import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";

/** Schema of sizes: 1, 2, 3, ... */
export const positiveInteger = z.int({ error: "expected a whole number" }).min(1, { error: "expected at least 1" });

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
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => describeIssue(issue, value, place, schema));
  throw new InputError(lines.join("\n"));
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown, place: string, schema: z.ZodType): string {
  const path = place + issue.path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("");
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    return issue.keys.map((key) => `${path} has no "${key}"${suggestion(key, known)}`).join("\n");
  }
  const found = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  return `${path} is ${shown(found)}; ${issue.message}`;
}

/** Formats a value for an error message, in at most 60 characters. */
export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} of ${value.byteLength} bytes`;
  if (typeof value === "function") return "a function";
  const text = typeof value === "number" ? String(value) : JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
