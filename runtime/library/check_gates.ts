import type { Result } from "../result/schema.ts";
import type { GateCheck, GateCheckOptions } from "./check_result.ts";

/**
 * Checks conditions on a result, as `--gate` does: a gate holds if the whole 95 % interval is on the right side.
 *
 * @param gates conditions such as `speedup.sink>=1.1` or `batchCost.*<=+5%@before`
 * @throws {InputError} if a gate is malformed, or its variant or run does not exist
 *
 * @example
 * ```ts
 * import { checkGates, type Result } from "@tacho/tacho";
 *
 * async function failures(result: Result, before: Result) {
 *   const { gates } = await checkGates(result, ["batchCost.*<=+5%@before"], { results: { before } });
 *   return gates.filter(({ state }) => state !== "pass").map(({ variant, why }) => `${variant}: ${why}`);
 * }
 * ```
 */
export async function checkGates(
  result: Result,
  gates: readonly string[],
  options: GateCheckOptions = {},
): Promise<GateCheck> {
  const { checkResult } = await import("./check_result.ts");
  return await checkResult(result, gates, options);
}
