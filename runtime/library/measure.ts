import type { Scenario } from "../scenario/definition.ts";
import { embed } from "./embedded.ts";
import { type Measurement, startMeasurement } from "./measurement.ts";
import type { MeasurementOptions } from "./measure_scenario.ts";

/**
 * Measures the variants of a scenario and compares them, as `run()` does, but ends no process, prints nothing, and writes no
 * file unless an option asks for it. A failed variant does not end the others: its part of the result has the status
 * `failed` and the error. Iterating over the return value gives the events; leaving the loop aborts the measurement.
 *
 * Measurements of a process run one at a time: a further call waits for those before it.
 *
 * Data sets that exist only once they are made, such as the stand-in of `cifar10()`, are made in the cache folder.
 *
 * @returns times in ms, sizes in bytes, throughput in samples per second
 * @throws {InputError} if the scenario, a setting or an option is wrong, no variant can run, a permission is missing, or
 *   the run cannot be kept in the `store`
 * @throws {DeviceError} if there is no adapter
 * @throws {AbortedError} if the signal aborts; its `partial` is the result so far
 *
 * @example
 * ```ts
 * import { crossEntropy, linear, measure, scenario, sgd, tensors } from "@tacho/tacho";
 *
 * const points = scenario({
 *   name: "points",
 *   model: linear(2),
 *   loss: crossEntropy(),
 *   optimizer: sgd({ learningRate: 0.1 }),
 *   data: tensors({
 *     input: { shape: [4], data: new Float32Array(64 * 4).fill(1) },
 *     target: { data: new Int32Array(64) },
 *     classes: 2,
 *   }),
 *   loader: { batchSize: 8 },
 *   measure: { steps: 2, skip: 1, rounds: 2 },
 *   variants: { baseline: {}, sink: { sink: 2 } },
 * });
 *
 * const { variants } = await measure(points, { seed: 7 });
 * for (const { name, metrics } of variants) console.log(name, metrics.ips?.value, metrics.speedup?.value);
 * ```
 */
export function measure(scenario: Scenario, options: MeasurementOptions = {}): Measurement {
  embed();
  return startMeasurement(options, async (watch) => {
    const { measureScenario } = await import("./measure_scenario.ts");
    return await measureScenario(scenario, options, watch);
  });
}
