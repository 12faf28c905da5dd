import type { FieldSize } from "../fields.ts";
import type { BatchTensors } from "../shared.ts";
import type { StageClock } from "../stage_clock.ts";
import type { Pixels, SampleType } from "../transforms/transform.ts";

/** Origin of the samples of one split, as plain data that is cloned to workers. Each reader adds its own fields. */
export interface ReaderPlan {
  readonly kind: string;
  /** Samples in the split. */
  readonly length: number;
  /** Type of a sample before the transforms; null if all inputs are among `fields`, which are copied unchanged. */
  readonly sample: SampleType | null;
  readonly targetDType: "i32" | "f32";
  /** Elements of one target. */
  readonly targetSize: number;
  /** Fields that are copied to the batch unchanged, with the values of one sample. */
  readonly fields?: Readonly<Record<string, FieldSize>>;
  /** Number of classes that i32 targets index; null if unknown. */
  readonly classes: number | null;
  /** Samples cannot be indexed: they arrive in one order and are shuffled through a buffer. */
  readonly sequential?: boolean;
}

/** Reader of samples, for any number of sources. Workers import readers but no source definitions. */
export interface ReaderDef<P extends ReaderPlan> {
  /** Runs user code, which may answer late or never return. */
  readonly userCode?: boolean;
  /** Returns the file or module of a sample, for messages; null if it has none. */
  where?(plan: P, index: number): string | null;
  /**
   * Checks all labels before the first batch.
   *
   * @throws {InputError} if one is out of range
   */
  check?(plan: P): void;
  /**
   * Opens the split on the calling thread. Imports decoders here, since every worker loads this module.
   *
   * @param readDelay milliseconds that a source with a decode stage sleeps after reading; others leave it to the caller
   * @throws {InputError} if a file cannot be opened, or a module cannot be imported
   */
  open(plan: P, readDelay: number): Source | Promise<Source>;
}

/** Reads the samples of one split, on one thread. Its `data`, `offset` and `fields` are those of the sample read last. */
export interface Source extends Pixels {
  /** Values of the plan's further fields. */
  readonly fields?: BatchTensors;
  /** Problem with the sample read last, which leaves it whole; null or absent without one. */
  readonly warning?: string | null;
  /** Stages of `read`, in order: `["read"]` by default, `["read", "decode"]` for image files. */
  readonly stages?: readonly string[];
  /**
   * Reads a sample: its input to `data` at `offset`, its target to `target` at `at`. Returns a promise only if it has to
   * wait. Each of `stages` but the last ends with `clock.lap(i)`; the caller ends the last.
   *
   * @throws {InputError} if the sample is invalid
   */
  read(
    index: number,
    target: Int32Array | Float32Array,
    at: number,
    clock?: StageClock | null,
  ): void | Promise<void>;
  /**
   * Prepares a sequential source (`ReaderPlan.sequential`) for the next batch: samples are read in `order` (in the order
   * of arrival if null), starting at position `from` of the epoch.
   */
  seek?(epoch: number, order: Uint32Array | null, from: number): void;
  /**
   * Ends a batch that user code has made. The source may be closed already.
   *
   * @param invalid samples that have left an error behind, of this batch or earlier ones
   */
  endBatch?(invalid: ReadonlySet<number>): void;
  close(): void;
}

/** Returns the number of values of a sample of known size; 0 without inputs that transforms change. */
export function sampleSize(sample: SampleType | null): number {
  if (sample === null) return 0;
  const { channels, height, width } = sample;
  if (height === null || width === null) throw new Error("Samples differ in size");
  return channels * height * width;
}
