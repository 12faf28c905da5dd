import { InputError } from "../core/errors.ts";
import type { TrainerBatch, TrainerTensor } from "./host_batch.ts";

/** An input with the outputs that a reference implementation returns for it. */
export interface OutputCheck {
  /** Samples as for `Trainer.forward`. */
  readonly input: TrainerTensor | TrainerBatch;
  /** Outputs of all samples in row-major order, such as logits. */
  readonly output: ArrayLike<number>;
  /** Largest difference relative to the largest output. Default: 1e-3. */
  readonly tolerance?: number;
}

/**
 * Compares outputs with those of the reference implementation.
 *
 * @throws {InputError} with the largest difference, if the outputs differ
 */
export function compareOutputs(
  file: string,
  got: ArrayLike<number>,
  { output, tolerance = 1e-3 }: OutputCheck,
): void {
  if (got.length !== output.length) {
    throw new InputError(`load: check.output has ${output.length} values, but the model returns ${got.length}`);
  }
  let [worst, at, scale] = [0, 0, 0];
  for (let i = 0; i < output.length && !Number.isNaN(worst); i++) {
    scale = Math.max(scale, Math.abs(output[i]!));
    const difference = Math.abs(got[i]! - output[i]!);
    if (!(difference <= worst)) [worst, at] = [difference, i];
  }
  if (worst <= tolerance * scale) return;
  throw new InputError(
    `load: with the weights ${file}, output ${at} is ${got[at]}, expected ${output[at]} within ${tolerance} of the ` +
      `largest, ${scale}. A matrix may be transposed, or a layer may differ in an option; the previous values are kept`,
  );
}
