import { InputError } from "../../core/errors.ts";
import { type ReaderDef, type ReaderPlan, sampleSize, type Source } from "./reader.ts";

export interface TensorsPlan extends ReaderPlan {
  readonly kind: "tensors";
  readonly input: Uint8Array | Float32Array;
  readonly target: Int32Array | Float32Array;
  /** File of labels that may be out of range, and the fix for messages; null if all are known to be valid. */
  readonly labels: { readonly file: string; readonly fix: string } | null;
}

export const tensorsReader: ReaderDef<TensorsPlan> = {
  check(plan) {
    if (plan.labels === null) return;
    const wrong = plan.target.findIndex((label) => label >= plan.classes!);
    if (wrong >= 0) throw wrongLabel(plan, wrong);
  },
  open: (plan) => new TensorsSource(plan),
};

/** Samples in memory, copied by the transforms only. */
class TensorsSource implements Source {
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
    const { target: values, targetSize, labels, classes } = this.#plan;
    if (labels !== null && values[index]! >= classes!) throw wrongLabel(this.#plan, index);
    this.offset = index * this.#size;
    for (let i = 0; i < targetSize; i++) target[at + i] = values[index * targetSize + i]!;
  }

  close(): void {}
}

function wrongLabel({ labels, target, classes }: TensorsPlan, index: number): InputError {
  return new InputError(
    `${labels!.file}: label ${index} is ${target[index]}; expected 0..${classes! - 1}. ` +
      `The file is damaged, or the set has more classes: ${labels!.fix}`,
  );
}
