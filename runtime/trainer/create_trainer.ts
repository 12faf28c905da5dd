import type { Scenario } from "../scenario/definition.ts";
import type { Trainer } from "./trainer.ts";

/** Options of `createTrainer`. */
export interface TrainerOptions {
  /** Name of the variant to train; defaults to the scenario's baseline. */
  readonly variant?: string;
  /** Overrides as on the command line, such as `"optimizer.learningRate=0.01"`. */
  readonly overrides?: readonly string[];
  /** Allows calls of {@linkcode Trainer.gradients}; default false. Does not change results. */
  readonly keepGradients?: boolean;
  /** Part of the name of the adapter to use. */
  readonly adapter?: string;
}

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
