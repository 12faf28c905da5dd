import { checkOptions, type ProfileOptions } from "./profile/schedule.ts";
import { Profiler } from "./profile/profiler.ts";

/**
 * Creates a profiler for a loop of the script's own. It records steps by a schedule like PyTorch's, and returns what a
 * scenario's run returns: a result with tables of steps, ops, host work and ranges, a trace, and a report.
 *
 * @example
 * ```ts
 * import { createTrainer, crossEntropy, linear, profile, range, scenario, sgd, tensors } from "@tacho/tacho";
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
 * });
 * await using trainer = await createTrainer(points);
 * await using profiler = await profile({ trainer, wait: 2, warmup: 1, active: 3, repeat: 1 }).start();
 * for (let i = 0; i < 8; i++) {
 *   await range("train", () => trainer.step());
 *   await profiler.step();
 * }
 * const { result } = await profiler.stop();
 * console.log(result.variants[0]!.ops.map(({ id, mean }) => `${id} ${mean} ms`));
 * ```
 *
 * @throws {InputError} for wrong options
 */
export function profile(options: ProfileOptions = {}): Profiler {
  checkOptions(options);
  return new Profiler(options);
}
