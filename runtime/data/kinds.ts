/**
 * Records discriminated by `kind`, where each kind has a definition in its own file: data sources, transforms, losses and
 * optimizers.
 *
 * @module
 */
import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { readable } from "../core/readable.ts";
import { shown } from "../core/shown.ts";

/** Schema of a record with a `kind`. */
export type KindSchema<K extends string = string> = z.ZodObject<{ readonly kind: z.ZodLiteral<K> }>;

/** Part of a definition that a list needs. */
interface Definition {
  readonly schema: KindSchema;
}

/** Returns a record of `schema` with its defaults filled in. The scenario checks the values. */
export function record<S extends KindSchema>(schema: S, options: object): z.output<S> {
  const defaults = Object.entries(schema.shape).flatMap(([name, field]: [string, z.ZodType]) =>
    field instanceof z.ZodDefault ? [[name, field.def.defaultValue] as const] : []
  );
  if (typeof options !== "object" || options === null) {
    throw new InputError(`${kindOf({ schema })}(): expected a record of options, got ${shown(options)}`);
  }
  const given = Object.entries(readable(options, `${kindOf({ schema })}()`)).filter(([, value]) => value !== undefined);
  return Object.fromEntries([["kind", kindOf({ schema })], ...defaults, ...given]) as z.output<S>;
}

/** Returns the kind of a definition. */
export function kindOf({ schema }: Definition): string {
  return schema.shape.kind.value;
}

/** Returns the schemas of a list of definitions, for a union. */
export function schemasOf<D extends readonly Definition[]>(definitions: D): { [I in keyof D]: D[I]["schema"] } {
  return definitions.map(({ schema }) => schema) as { [I in keyof D]: D[I]["schema"] };
}

/** Lists factories for a message: `sgd(), adam() or adamW()`. */
export function factoryNames(definitions: readonly Definition[]): string {
  return alternatives(definitions.map((definition) => `${kindOf(definition)}()`));
}

/** Joins at least one alternative for a message: `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
