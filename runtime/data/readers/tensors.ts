import { InputError } from "../../core/errors.ts";
import type { BatchTensors } from "../shared.ts";
import { type ReaderDef, type ReaderPlan, sampleSize, type Source } from "./reader.ts";

export interface TensorsPlan extends ReaderPlan {
  readonly kind: "tensors";
  /** Inputs that transforms change; null if there are none. */
  readonly input: Uint8Array | Float32Array | null;
  /** Arrays of the fields that are copied unchanged, by name. */
  readonly others?: BatchTensors;
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
  fields: BatchTensors = {};
  readonly #plan: TensorsPlan;
  readonly #size: number;

  constructor(plan: TensorsPlan) {
    this.data = plan.input ?? new Uint8Array(0);
    this.#plan = plan;
    this.#size = sampleSize(plan.sample);
  }

  read(index: number, target: Int32Array | Float32Array, at: number): void {
    const { target: values, targetSize, labels, classes, others } = this.#plan;
    if (labels !== null && values[index]! >= classes!) throw wrongLabel(this.#plan, index);
    this.offset = index * this.#size;
    for (let i = 0; i < targetSize; i++) target[at + i] = values[index * targetSize + i]!;
    if (others !== undefined) this.fields = this.#fieldsOf(index, others);
  }

  close(): void {}

  #fieldsOf(index: number, others: BatchTensors): BatchTensors {
    return Object.fromEntries(
      Object.entries(others).map(([name, values]) => {
        const { length } = this.#plan.fields![name]!;
        return [name, values.subarray(index * length, (index + 1) * length)];
      }),
    );
  }
}

function wrongLabel({ labels, target, classes }: TensorsPlan, index: number): InputError {
  return new InputError(
    `${labels!.file}: label ${index} is ${target[index]}; expected 0..${classes! - 1}. ` +
      `The file is damaged, or the set has more classes: ${labels!.fix}`,
  );
}
