import type { BenchFunction, BenchOptions } from "./bench_options.ts";
import { embed } from "./embedded.ts";
import { type Measurement, startMeasurement } from "./measurement.ts";

/**
 * Compares functions by the procedure of a scenario: interleaved blocks in random order, a control arm, intervals and verdicts. A
 * function may be synchronous or asynchronous, and work on the host or on a device. One that throws fails alone: its part
 * of the result has the status `failed` and the error. Otherwise like `measure()`.
 *
 * @param functions functions by name: a letter, then letters, digits and - _ . =
 * @returns a result with a variant for each function; the time of a step is the metric `batchCost` in ms, device time is
 *   `stepTime`
 * @throws {InputError} if an option or a name is wrong, a permission is missing, or the run cannot be kept in the `store`
 * @throws {AbortedError} if the signal aborts; its `partial` is the result so far
 *
 * @example
 * ```ts
 * import { bench, render } from "@tacho/tacho";
 *
 * const numbers = Float64Array.from({ length: 4096 }, (_, i) => Math.sin(i));
 * const result = await bench({
 *   copy: () => numbers.slice().sort(),
 *   reused: {
 *     setup: () => new Float64Array(numbers.length),
 *     run: (buffer) => {
 *       buffer.set(numbers);
 *       buffer.sort();
 *     },
 *   },
 * }, { unit: "arrays", measure: { rounds: 3 } });
 * console.log(await render(result));
 * ```
 */
export function bench<S extends Readonly<Record<string, unknown>>>(
  functions: { readonly [K in keyof S]: BenchFunction<S[K]> },
  options: BenchOptions = {},
): Measurement {
  embed();
  return startMeasurement(options, async (watch) => {
    const { measureFunctions } = await import("./bench/measure_functions.ts");
    return await measureFunctions(functions, options, watch);
  });
}
