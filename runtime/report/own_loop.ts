import type { VariantResult } from "../result/schema.ts";

/** Mode of a loop that was profiled without a trainer: it has neither a model nor a scenario's settings. */
export const OWN_LOOP = "loop";

/** Returns true for a loop that was profiled without a trainer. */
export function isOwnLoop({ mode }: VariantResult["config"]): boolean {
  return mode === OWN_LOOP;
}

/** Mode of a function that `bench()` measured. */
export const FUNCTION_MODE = "function";

/** Returns true for a benchmarked function. */
export function isFunction({ mode }: VariantResult["config"]): boolean {
  return mode === FUNCTION_MODE;
}
