/**
 * Where the samples of one split come from, as plain data that is cloned to workers. `openSource` makes a source of it.
 *
 * @module
 */
import type { SampleType } from "../transforms/transform.ts";

/** A file of records of one label byte and the pixels' bytes. */
export interface RecordFile {
  readonly path: string;
  readonly records: number;
}

interface CommonPlan {
  /** Samples in the split. */
  readonly length: number;
  /** A sample as the source gives it. */
  readonly sample: SampleType;
  readonly targetDType: "i32" | "f32";
  /** Elements of one target. */
  readonly targetSize: number;
}

export interface RecordFilesPlan extends CommonPlan {
  readonly kind: "recordFiles";
  readonly files: readonly RecordFile[];
  readonly classes: number;
}

export interface SyntheticPlan extends CommonPlan {
  readonly kind: "synthetic";
  readonly classes: number;
}

export interface TensorsPlan extends CommonPlan {
  readonly kind: "tensors";
  readonly input: Uint8Array | Float32Array;
  readonly target: Int32Array | Float32Array;
}

export type SourcePlan = RecordFilesPlan | SyntheticPlan | TensorsPlan;
