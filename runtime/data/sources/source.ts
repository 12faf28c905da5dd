import type { StageClock } from "../stage_clock.ts";
import type { Pixels } from "../transforms/transform.ts";

/** Reads the samples of one split, on one thread. Its `data` and `offset` are those of the sample read last. */
export interface Source extends Pixels {
  /** What `read` does, in order: `["read"]` where it is left out, `["read", "decode"]` for files of images. */
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
   * For sources that come in one order only (`SourcePlan.sequential`): called before each batch. From now on samples are
   * read as `order` says (as they come where it is null), from position `from` of the epoch on.
   */
  seek?(epoch: number, order: Uint32Array | null, from: number): void;
  close(): void;
}
