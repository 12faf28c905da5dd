/**
 * Records told apart by `kind`, each kind with a definition in a file of its own: losses, optimizers.
 *
 * @module
 */
import { z } from "zod";

/** Schema of a record with a `kind`. */
export type KindSchema<K extends string = string> = z.ZodObject<{ readonly kind: z.ZodLiteral<K> }>;

/** The part of a definition that lists are made from. */
interface Definition {
  readonly schema: KindSchema;
}

/** Fields of a record as its factory takes them: without `kind`, and those with a default may be left out. */
export type OptionsOf<S extends KindSchema> = Omit<z.input<S>, "kind">;

/** A record of `schema` with its defaults filled in. The values are checked with the scenario. */
export function record<S extends KindSchema>(schema: S, options: OptionsOf<S>): z.output<S> {
  const defaults = Object.entries(schema.shape).flatMap(([name, field]: [string, z.ZodType]) =>
    field instanceof z.ZodDefault ? [[name, field.def.defaultValue] as const] : []
  );
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries([["kind", kindOf({ schema })], ...defaults, ...given]) as z.output<S>;
}

/** The kind of a definition. */
export function kindOf({ schema }: Definition): string {
  return schema.shape.kind.value;
}

/** The schemas of a list of definitions, for a union. */
export function schemasOf<D extends readonly Definition[]>(definitions: D): { [I in keyof D]: D[I]["schema"] } {
  return definitions.map(({ schema }) => schema) as { [I in keyof D]: D[I]["schema"] };
}

/** Factories as a message names them: `sgd(), adam() or adamW()`. */
export function factoryNames(definitions: readonly Definition[]): string {
  const names = definitions.map((definition) => `${kindOf(definition)}()`);
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
