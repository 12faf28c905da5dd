import type { TensorsPlan } from "./plan.ts";
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
    const { target: values, targetSize } = this.#plan;
    this.offset = index * this.#size;
    for (let i = 0; i < targetSize; i++) target[at + i] = values[index * targetSize + i]!;
  }

  close(): void {}
}
