import { InputError } from "../../core/errors.ts";
import type { SourcePlan, TensorsPlan } from "./plan.ts";
import { sampleSize } from "./sample_size.ts";
import type { Source } from "./source.ts";

/** Samples in memory: nothing is copied until the transforms run. */
export class TensorsSource implements Source {
  readonly data: Uint8Array | Float32Array;
  offset = 0;
  readonly #plan: TensorsPlan;
  readonly #size: number;

  constructor(plan: TensorsPlan) {
    this.data = plan.input;
    this.#plan = plan;
    this.#size = sampleSize(plan.sample);
  }

  read(index: number, target: Int32Array | Float32Array, at: number): void {
    const { target: values, targetSize, labelFile, classes } = this.#plan;
    if (labelFile !== null && values[index]! >= classes!) throw wrongLabel(this.#plan, index);
    this.offset = index * this.#size;
    for (let i = 0; i < targetSize; i++) target[at + i] = values[index * targetSize + i]!;
  }

  close(): void {}
}

/**
 * Looks at all labels at once, before the first batch.
 *
 * @throws {InputError} if one is out of range
 */
export function checkLabels(plan: SourcePlan): void {
  if (plan.kind !== "tensors" || plan.labelFile === null) return;
  const wrong = plan.target.findIndex((label) => label >= plan.classes!);
  if (wrong >= 0) throw wrongLabel(plan, wrong);
}

function wrongLabel({ labelFile, target, classes }: TensorsPlan, index: number): InputError {
  return new InputError(
    `${labelFile}: label ${index} is ${target[index]}; expected 0..${classes! - 1}. ` +
      "The file is damaged, or the set has more classes: give idx({ classes })",
  );
}
