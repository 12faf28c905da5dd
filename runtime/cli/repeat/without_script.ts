import { InputError } from "../../core/errors.ts";
import type { Store } from "../../store/store.ts";
import { isComparison } from "../versus/kept_comparison.ts";

/**
 * Returns the error for a run that has no script to run again: one of `measure()` or `bench()`, whose program may do more
 * than measure and pass other options on each call, or one of code that is not a file.
 *
 * @param action `repeated` or `resumed`
 */
export function withoutScript(store: Store, id: string, action: "repeated" | "resumed"): InputError {
  if (isComparison(store.run(id))) {
    return new InputError(
      `Run ${id} has no script: it compared programs. tacho repeat ${id} starts them again, and tacho show ${id} lists them`,
    );
  }
  const file = store.result(id)?.scenario.file ?? null;
  const origin = file === null
    ? "it came from measure(), bench() or code that is not a file, such as a notebook"
    : `it came from measure() or bench() in ${file}, which may do more than this measurement`;
  return new InputError(
    `Run ${id} cannot be ${action}: ${origin}. Run that code again with the same store, then compare: ` +
      `tacho compare ${id} last`,
  );
}
