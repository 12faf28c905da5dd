import type { RecordSchema, SchemaOf, SpecOf } from "./transform.ts";

/** Options that every transform takes. */
export interface DelayOption {
  /** Milliseconds that it sleeps for each sample. */
  delay?: number;
}

type Checker = (record: { readonly kind: string }) => unknown;

let check: Checker = (record) => record;

/** Sets how records are checked. `schema.ts` does, with zod, which no data worker imports. */
export function checkRecordsWith(checker: Checker): void {
  check = checker;
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
  return check({ kind, ...options }) as SpecOf<F>;
}
