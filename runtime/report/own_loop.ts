import type { VariantResult } from "../result/schema.ts";

/** Mode of a loop that was profiled without a trainer: it has neither a model nor a scenario's settings. */
export const OWN_LOOP = "loop";

/** Returns true for a loop that was profiled without a trainer. */
export function isOwnLoop({ mode }: VariantResult["config"]): boolean {
  return mode === OWN_LOOP;
}

/** Mode of a function that `bench()` measured. */
export const FUNCTION_MODE = "function";

/** Mode of a program in a separate process. */
export const PROGRAM_MODE = "program";

/** Returns true for a program in a separate process. */
export function isProgram({ mode }: VariantResult["config"]): boolean {
  return mode === PROGRAM_MODE;
}

/** Returns true for benchmarked functions and programs, which have no model, no batches and no phases. */
export function isHostTimed({ mode }: VariantResult["config"]): boolean {
  return mode === FUNCTION_MODE || mode === PROGRAM_MODE;
}

/** Returns why a variant without parameters has no model. */
export function noModelReason(config: VariantResult["config"]): string {
  if (isOwnLoop(config)) return "the loop has no trainer";
  if (isProgram(config)) return "a program has no model";
  return isHostTimed(config) ? "a function has no model" : "no model, only the loader was measured";
}
