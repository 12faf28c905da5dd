import type { FieldSize } from "../fields.ts";
import type { BatchTensors } from "../shared.ts";
import type { StageClock } from "../stage_clock.ts";
import type { Pixels, SampleType } from "../transforms/transform.ts";

/** Origin of the samples of one split, as plain data that is cloned to workers. Each reader adds its own fields. */
export interface ReaderPlan {
  readonly kind: string;
  /** Samples in the split. */
  readonly length: number;
  /** Type of a sample before the transforms. */
  readonly sample: SampleType;
  readonly targetDType: "i32" | "f32";
  /** Elements of one target. */
  readonly targetSize: number;
  /** Fields beside input and target, with the values of one sample. */
  readonly fields?: Readonly<Record<string, FieldSize>>;
  /** Number of classes that i32 targets index; null where it is unknown. */
  readonly classes: number | null;
  /** Samples come in one order only and cannot be indexed: they are shuffled through a buffer. */
  readonly sequential?: boolean;
}

/** Reads samples of a split for any number of sources. Workers import readers but no source definitions. */
export interface ReaderDef<P extends ReaderPlan> {
  /** Runs code of the user's, which may answer late, or never return. */
  readonly userCode?: boolean;
  /** File or module that a sample comes from, for messages; null for none. */
  where?(plan: P, index: number): string | null;
  /**
   * Checks all labels before the first batch.
   *
   * @throws {InputError} if one is out of range
   */
  check?(plan: P): void;
  /**
   * Opens the split on the calling thread. Imports decoders and the like itself, since every worker loads this module.
   *
   * @param readDelay milliseconds that a source of two stages sleeps after the first; others leave it to the caller
   * @throws {InputError} if a file cannot be opened, or a module cannot be imported
   */
  open(plan: P, readDelay: number): Source | Promise<Source>;
}

/** Reads the samples of one split, on one thread. Its `data`, `offset` and `fields` are those of the sample read last. */
export interface Source extends Pixels {
  /** Values of the plan's further fields. */
  readonly fields?: BatchTensors;
  /** Stages of `read`, in order: `["read"]` by default, `["read", "decode"]` for image files. */
  readonly stages?: readonly string[];
  /**
   * Reads a sample: its input to `data` at `offset`, its target to `target` at `at`. A source that has to wait returns a
   * promise; others return nothing, and cost nothing. Where there is a `clock`, each of `stages` ends with `lap(i)`; the
   * lap of the last one is the caller's.
   *
   * @throws {InputError} if what is read is no valid sample
   */
  read(
    index: number,
    target: Int32Array | Float32Array,
    at: number,
    clock?: StageClock | null,
  ): void | Promise<void>;
  /**
   * For sources that come in one order only (`ReaderPlan.sequential`): called before each batch. From now on samples are
   * read as `order` says (as they come where it is null), from position `from` of the epoch on.
   */
  seek?(epoch: number, order: Uint32Array | null, from: number): void;
  close(): void;
}

/** Values of a sample of known size. */
export function sampleSize({ channels, height, width }: SampleType): number {
  if (height === null || width === null) throw new Error("Samples differ in size");
  return channels * height * width;
}
