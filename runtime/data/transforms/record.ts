import type { RecordSchema, SchemaOf, SpecOf } from "./transform.ts";

/** Options that every transform takes. */
export interface DelayOption {
  /** Milliseconds that it sleeps for each sample. */
  delay?: number;
}

/** Checks of what users write, which need packages. */
interface Checks {
  /** The record with defaults filled in, or an InputError. */
  check(record: { readonly kind: string }): unknown;
  /** Proposes the nearest known name; empty where none is near. */
  suggest(name: string, known: readonly string[]): string;
}

let checks: Checks = { check: (record) => record, suggest: () => "" };

/** Sets how records are checked. `schema.ts` does, which no data worker imports, so that these start without packages. */
export function checkRecordsWith(those: Checks): void {
  checks = those;
}

/**
 * The record of a transform, with defaults filled in.
 *
 * @throws {InputError} if an option is invalid
 */
export function recordOf<F extends SchemaOf<RecordSchema>>(
  { kind }: { readonly kind: string; readonly schema: F },
  options: object,
): SpecOf<F> {
  return checks.check({ kind, ...options }) as SpecOf<F>;
}

/** Proposes the nearest known name, in words that follow a message; empty where none is near. */
export function suggested(name: string, known: readonly string[]): string {
  return checks.suggest(name, known);
}
