/**
 * Navigates zod schemas, for messages and documentation.
 *
 * @module
 */
import { z } from "zod";

/** Returns the schema inside a default, nullable, optional or transform; null if the schema is not wrapped. */
export function unwrapOnce(schema: z.core.$ZodType): z.core.$ZodType | null {
  if (
    schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable || schema instanceof z.ZodReadonly
  ) return schema.def.innerType;
  return schema instanceof z.ZodPipe ? schema.def.in : null;
}

/** Removes all wrappers from a schema. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = unwrapOnce(schema);
  return inner === null ? schema : unwrap(inner);
}

/** Returns the description of a schema, or of the schema that it wraps; empty if there is none. */
export function descriptionOf(schema: z.core.$ZodType): string {
  const own = z.globalRegistry.get(schema)?.description;
  if (own !== undefined) return own;
  const inner = unwrapOnce(schema);
  return inner === null ? "" : descriptionOf(inner);
}

/** Returns the record schema that checks `value`: for a union by `kind`, the member with the value's kind. */
export function objectFor(schema: z.core.$ZodType, value: unknown): z.ZodObject | null {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return inner;
  if (!(inner instanceof z.ZodDiscriminatedUnion)) return null;
  const kind = (value as { kind?: unknown } | null | undefined)?.kind;
  const members = inner.options.map((option) => unwrap(option)).filter((option) => option instanceof z.ZodObject);
  return members.find((member) => kindsOf(member).includes(kind)) ?? null;
}

/** Returns the kinds of a union's members, or of a record. */
export function kindsOf(schema: z.core.$ZodType): unknown[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodDiscriminatedUnion) return inner.options.flatMap((option) => kindsOf(option));
  const kind = inner instanceof z.ZodObject ? inner.shape["kind"] : undefined;
  return kind instanceof z.ZodLiteral ? [...kind.values] : [];
}

/** Returns the keys that the schema knows at `path` in `value`. */
export function knownKeys(schema: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): string[] {
  const [key, ...rest] = path;
  if (key === undefined) return Object.keys(objectFor(schema, value)?.shape ?? {});
  const child = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray) return knownKeys(inner.element, child, rest);
  const next = objectFor(schema, value)?.shape[String(key)];
  return next === undefined ? [] : knownKeys(next, child, rest);
}
