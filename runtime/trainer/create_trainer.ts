import type { Scenario } from "../scenario/definition.ts";
import type { Trainer } from "./trainer.ts";
import type { TrainerOptions } from "./prepare_trainer.ts";

/**
 * Opens a device and prepares a variant of a scenario for training.
 *
 * @example
 * ```ts
 * import { createTrainer, crossEntropy, linear, scenario, sgd, tensors } from "@tacho/tacho";
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
 * for (let i = 0; i < 3; i++) console.log((await trainer.step()).loss);
 * ```
 *
 * @throws {InputError} if the scenario is wrong or needs more memory than the budget
 * @throws {DeviceError} if there is no adapter
 */
export async function createTrainer(scenario: Scenario, options: TrainerOptions = {}): Promise<Trainer> {
  const { prepareTrainer } = await import("./prepare_trainer.ts");
  return await prepareTrainer(scenario, options);
}
