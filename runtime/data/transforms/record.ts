import { readable } from "../../core/readable.ts";
import type { RecordSchema, SchemaOf, SpecOf } from "./transform.ts";

export type { DelayOption } from "./types.ts";

/** Checks of user input that need packages. */
interface Checks {
  /** Returns the record with defaults filled in, or throws an InputError. */
  check(record: { readonly kind: string }): unknown;
  /** Suggests the nearest known name; returns an empty text if none is near. */
  suggest(name: string, known: readonly string[]): string;
}

let checks: Checks = { check: (record) => record, suggest: () => "" };

/** Sets how records are checked. Only `schema.ts` does so; data workers do not import it and start without packages. */
export function checkRecordsWith(replacement: Checks): void {
  checks = replacement;
}

/**
 * Makes the record of a transform, with defaults filled in.
 *
 * @param own options that a factory takes as arguments
 * @throws {InputError} if an option is invalid
 */
export function recordOf<F extends SchemaOf<RecordSchema>>(
  { kind }: { readonly kind: string; readonly schema: F },
  options: object,
  own: object = {},
): SpecOf<F> {
  return checks.check({ ...own, ...readable(options, `${kind}()`), kind }) as SpecOf<F>;
}

/** Suggests the nearest known name, as the end of a message; returns an empty text if none is near. */
export function suggested(name: string, known: readonly string[]): string {
  return checks.suggest(name, known);
}
