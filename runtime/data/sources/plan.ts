/**
 * Where the samples of one split come from, as plain data that is cloned to workers. `openSource` makes a source of it.
 *
 * @module
 */
import type { SampleType } from "../transforms/transform.ts";

/** A file of records: label bytes, then the pixels' bytes. */
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
  /** Number of classes that i32 targets index; null where it is not known. */
  readonly classes: number | null;
  /** Samples come in one order only, and cannot be indexed: they are shuffled through a buffer. */
  readonly sequential?: boolean;
}

export interface RecordFilesPlan extends CommonPlan {
  readonly kind: "recordFiles";
  readonly files: readonly RecordFile[];
  /** Bytes before the pixels, and which of them is the label. */
  readonly labelBytes: number;
  readonly labelByte: number;
  readonly classes: number;
}

export interface ImageFilesPlan extends CommonPlan {
  readonly kind: "imageFiles";
  readonly dir: string;
  /** The files' names below `dir`, class by class, each ended by a zero byte. */
  readonly names: Uint8Array;
  /** Where each name begins. */
  readonly offsets: Uint32Array;
  /** The first file of each class. */
  readonly firsts: Uint32Array;
}

export interface SyntheticPlan extends CommonPlan {
  readonly kind: "synthetic";
  readonly classes: number;
}

export interface TensorsPlan extends CommonPlan {
  readonly kind: "tensors";
  readonly input: Uint8Array | Float32Array;
  readonly target: Int32Array | Float32Array;
  /** The file that the labels come from, where some may be out of range; null where all were looked at. */
  readonly labelFile: string | null;
}

/** A module of the user's. */
export interface ModulePlan extends CommonPlan {
  readonly kind: "module";
  readonly url: string;
}

export type SourcePlan = RecordFilesPlan | ImageFilesPlan | SyntheticPlan | TensorsPlan | ModulePlan;
